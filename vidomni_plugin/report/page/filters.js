// Which items are shown: a pure function of the state, which is what the address holds.

const FACETS = {
  vidomni: [['type', 'Type'], ['duration', 'Duration'], ['source', 'Caption by'],
    ['category', 'Error category'], ['dataset', 'Video source'], ['sound', 'Sound']],
  vidhalloc: [['category', 'Category'], ['group', 'Group'], ['source', 'Task'], ['duration', 'Duration']],
};
const SHOWS = {
  vidomni: [['', 'all answered'], ['misses', 'with misses'], ['alarms', 'with false alarms'],
    ['undecided', 'unlabelled sentences'], ['wrong', 'not all right'], ['right', 'all right'],
    ['disagree', 'models disagree'], ['absent', 'not answered']],
  vidhalloc: [['', 'all answered'], ['wrong-factual', 'wrong on factual'],
    ['wrong-counterfactual', 'wrong on counterfactual'], ['undecided', 'undecided'],
    ['wrong', 'not both right'], ['right', 'both right'],
    ['disagree', 'models disagree'], ['absent', 'not answered']],
};
const STATE_KEYS = ['view', 'benchmark', 'a', 'b', 'show', 'q', 'item', 'to'];

const PREDICATES = {
  'misses': (item, run) => Boolean(item.answers[run]) && item.answers[run].counts[2] > 0,
  'alarms': (item, run) => Boolean(item.answers[run]) && item.answers[run].counts[1] > 0,
  'wrong-factual': (item, run) => isWrong(item, run, 0),
  'wrong-counterfactual': (item, run) => isWrong(item, run, 1),
  'undecided': isUndecided,
  'wrong': (item, run) => Boolean(item.answers[run]) && !isRight(item, run),
  'right': isRight,
  '': (item, run) => Boolean(item.answers[run]),
  'absent': (item, run) => !item.answers[run],
};

// What stands in the address: only what differs from the start, facets as f.<name>.
function stateFromHash(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const state = {facets: new Map()};
  for (const key of STATE_KEYS) state[key] = given.get(key) || '';
  for (const [key, value] of given) if (key.startsWith('f.') && value) state.facets.set(key.slice(2), value);
  return state;
}

function hashFromState(state) {
  const out = new URLSearchParams();
  for (const key of STATE_KEYS) if (state[key] && (key !== 'to' || state.view === 'summary')) out.set(key, state[key]);
  for (const [key, value] of state.facets) if (value) out.set('f.' + key, value);
  return '#' + out.toString();
}

function runKey(run) {
  return run.name + ' · ' + run.task;
}

function factValues(item, name) {
  const value = item.facts[name];
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [String(value)];
}

const haystacks = new WeakMap();

function haystack(item, data) {
  let text = haystacks.get(item);
  if (text === undefined) {
    const parts = [item.key, item.video];
    if (item.benchmark === 'vidomni') parts.push(...item.sentences);
    else parts.push(item.question, item.candidates[0] || '', item.candidates[1] || '');
    for (const answer of Object.values(item.answers)) {
      for (const one of Array.isArray(answer) ? answer : [answer]) {
        if (one && one.text !== null && data.texts) parts.push(data.texts[one.text]);
        if (one) parts.push(one.reason);
      }
    }
    text = parts.join('\n').toLowerCase();
    haystacks.set(item, text);
  }
  return text;
}

// runs: numbers of the runs that are looked at, A first. With two, an item stays when either fits.
function matching(data, state, runs, allRuns) {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const test = PREDICATES[state.show];
  const facets = [...state.facets].filter(([, value]) => value);
  return data.items.filter((item) => {
    if (item.benchmark !== state.benchmark) return false;
    for (const [name, value] of facets) if (!factValues(item, name).includes(value)) return false;
    if (state.show === 'disagree') {
      if (!disagree(item, runs.length > 1 ? runs : allRuns)) return false;
    } else if (!runs.some((run) => test(item, run))) return false;
    return words.every((word) => haystack(item, data).includes(word));
  });
}
