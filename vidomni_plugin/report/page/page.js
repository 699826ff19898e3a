// The page: reads the items, keeps state and address the same, listens to keys.

const get = (id) => document.getElementById(id);
const SEARCH_PAUSE = 120; // milliseconds without a key after which a search starts
const TAIL = 10; // characters at the end of an id that the list always shows
const LONGEST_NAME = 26; // characters of a run where it can be chosen
const ADDRESS_PAUSE = 100; // milliseconds without a change after which the address is written

let data = null;
let list = null;
let state = stateFromHash(location.hash);
let shown = [];

async function unpack() {
  const raw = Uint8Array.from(atob(get('data').textContent), (sign) => sign.charCodeAt(0));
  const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream('gzip'));
  get('data').remove();
  return new Response(stream).json();
}

function runsOf(benchmark) {
  return data.runs.map((run, number) => number).filter((number) => data.runs[number].benchmark === benchmark);
}

function runNumber(key, benchmark) {
  return runsOf(benchmark).find((number) => runKey(data.runs[number]) === key);
}

// Everything that the state leaves open, or that this report does not have, gets its start value.
function complete(given) {
  const benchmarks = ['vidomni', 'vidhalloc'].filter((name) => runsOf(name).length);
  const next = {...given, facets: new Map()};
  next.view = given.view === 'items' ? 'items' : 'summary';
  const owner = data.items.find((item) => item.key === given.item);
  next.benchmark = benchmarks.includes(given.benchmark) ? given.benchmark
    : owner ? owner.benchmark : benchmarks[0] || '';
  const runs = runsOf(next.benchmark);
  if (runNumber(given.a, next.benchmark) === undefined) next.a = runs.length ? runKey(data.runs[runs[0]]) : '';
  if (runNumber(given.b, next.benchmark) === undefined || given.b === next.a) next.b = '';
  if (!(SHOWS[next.benchmark] || []).some(([value]) => value === given.show)) next.show = '';
  for (const [name] of FACETS[next.benchmark] || []) {
    if (given.facets.get(name)) next.facets.set(name, given.facets.get(name));
  }
  return next;
}

// What an address asks for that this report does not have: a link from another report, or an older one.
function missingFrom(given) {
  const missing = [];
  for (const key of [given.a, given.b]) {
    if (key && !data.runs.some((run) => runKey(run) === key)) missing.push('run "' + key + '"');
  }
  if (given.item && !data.items.some((item) => item.key === given.item)) missing.push('item "' + given.item + '"');
  if (given.show && !(SHOWS[complete(given).benchmark] || []).some(([value]) => value === given.show)) missing.push('filter "' + given.show + '"');
  if (given.to && !get(given.to)) missing.push('table or figure "' + given.to + '"');
  return missing;
}

function tellMissing(given) {
  const missing = missingFrom(given);
  get('missing').textContent = missing.length ? visible('The address asks for what this report does not have: ' + missing.join(', ') + '.') : '';
  get('missing').hidden = !missing.length;
}

function chosenRuns() {
  return [state.a, state.b].map((key) => runNumber(key, state.benchmark)).filter((n) => n !== undefined);
}

// Names of runs often differ in their ends only: what is left out is in the middle.
function shortened(name, most) {
  const signs = [...name];
  if (signs.length <= most) return name;
  const end = Math.ceil((most - 1) * 0.6);
  return signs.slice(0, most - 1 - end).join('') + '…' + signs.slice(-end).join('');
}

function fill(select, options, value) {
  select.replaceChildren(...options.map(([key, name, whole]) => {
    const option = element('option', '', name);
    option.value = key;
    option.title = visible(whole || name);
    return option;
  }));
  select.value = value;
  select.title = select.selectedOptions.length ? select.selectedOptions[0].title : '';
  select.disabled = options.length < 2;
}

function drawFilters() {
  const names = {vidomni: 'VidOmni', vidhalloc: 'VidHalLoc'};
  const benchmarks = ['vidomni', 'vidhalloc'].filter((name) => runsOf(name).length);
  fill(get('benchmark'), benchmarks.map((name) => [name, names[name]]), state.benchmark);
  const runs = runsOf(state.benchmark).map((number) => {
    const {name, task} = data.runs[number];
    return [runKey(data.runs[number]), shortened(name, LONGEST_NAME) + ' · ' + task, runKey(data.runs[number])];
  });
  fill(get('run-a'), runs, state.a);
  fill(get('run-b'), [['', 'none'], ...runs.filter(([key]) => key !== state.a)], state.b);
  fill(get('show'), SHOWS[state.benchmark] || [['', 'all answered']], state.show);
  if (document.activeElement !== get('search')) get('search').value = state.q;
  const mine = data.items.filter((item) => item.benchmark === state.benchmark);
  const facets = (FACETS[state.benchmark] || []).map(([name, title]) => {
    const values = new Set(mine.flatMap((item) => factValues(item, name)));
    if (state.facets.get(name)) values.add(state.facets.get(name));
    if (values.size < 2 && !state.facets.get(name)) return null;
    const label = element('label', '', title + ' ');
    const select = element('select');
    select.id = 'facet-' + name;
    const sorted = [...values].sort();
    if (name === 'duration') sorted.sort((a, b) => ['short', 'medium', 'long'].indexOf(a) - ['short', 'medium', 'long'].indexOf(b));
    fill(select, [['', 'all'], ...sorted.map((value) => [value, value])], state.facets.get(name) || '');
    select.addEventListener('change', () => change({facets: new Map([...state.facets, [name, select.value]])}));
    label.append(select);
    return label;
  });
  const focused = document.activeElement && document.activeElement.id;
  get('facets').replaceChildren(...facets.filter(Boolean));
  if (focused && focused.startsWith('facet-') && get(focused)) get(focused).focus();
}

// A row: what an item is, and a mark of how each chosen run did.
function describe(item) {
  const first = element('div', 'first');
  const name = element('span', 'name');
  name.title = visible(item.key);
  name.append(element('span', 'head', item.key.slice(0, -TAIL)), element('span', 'tail', item.key.slice(-TAIL)));
  first.append(name);
  for (const run of chosenRuns()) {
    const answer = item.answers[run];
    let kind = 'absent';
    let text = '–';
    if (answer && item.benchmark === 'vidomni') {
      kind = isUndecided(item, run) ? 'unlabelled' : 'plain';
      text = (kind === 'unlabelled' ? 'U ' : '') + (isFlawless(item) ? '∅' : answer.f1.toFixed(0));
    } else if (answer) {
      kind = isUndecided(item, run) ? 'unlabelled' : isRight(item, run) ? 'hit' : 'miss';
      text = answer.map((side) => (!side ? '–' : side.verdict === null ? 'U' : side.right ? '✓' : '✗')).join('');
    }
    const mark = element('span', 'chip ' + kind, text);
    const what = isFlawless(item) ? ': no Incorrect sentence, F1 0' : item.benchmark === 'vidomni' ? ': F1' : ': factual, counterfactual';
    mark.title = runKey(data.runs[run]) + what;
    first.append(mark);
  }
  const second = item.benchmark === 'vidomni' ? item.sentences[0] || '' : item.question;
  return [first, element('div', 'second', second)];
}

let writing = 0;

// Browsers refuse an address that changes many times a second, as it would with a key held down.
function write() {
  clearTimeout(writing);
  writing = setTimeout(() => {
    const hash = hashFromState(state);
    if (location.hash !== hash) history.replaceState(null, '', hash);
  }, ADDRESS_PAUSE);
}

function choose(index) {
  if (!shown.length) return;
  const at = Math.max(0, Math.min(shown.length - 1, index));
  state.item = shown[at].key;
  list.select(at);
  drawDetail(get('detail'), shown[at], chosenRuns(), data);
  write();
}

function draw() {
  get('summary').hidden = state.view !== 'summary';
  get('items').hidden = state.view !== 'items';
  document.body.dataset.view = state.view;
  for (const view of ['summary', 'items']) {
    if (state.view === view) get('go-' + view).setAttribute('aria-current', 'page');
    else get('go-' + view).removeAttribute('aria-current');
  }
  if (!data) return;
  drawFilters();
  shown = matching(data, state, chosenRuns(), runsOf(state.benchmark));
  const total = data.items.filter((item) => item.benchmark === state.benchmark).length;
  get('count').textContent = shown.length.toLocaleString('en') + ' of ' + total.toLocaleString('en') + (total === 1 ? ' pair' : ' pairs');
  get('list-key').textContent = !state.benchmark ? '' : state.benchmark === 'vidomni'
    ? 'Pairs, with F1 of each chosen run (U: a sentence has no label; ∅: no Incorrect sentence, F1 is always 0)'
    : 'Pairs: factual and counterfactual, ✓ right, ✗ wrong, U undecided';
  const at = shown.findIndex((item) => item.key === state.item);
  list.show(shown, at >= 0 ? at : shown.length ? 0 : -1);
  const item = at >= 0 ? shown[at] : shown[0];
  if (state.view === 'items') state.item = item ? item.key : state.item;
  drawDetail(get('detail'), item, chosenRuns(), data);
  write();
}

function change(part) {
  state = complete({...state, ...part});
  get('missing').hidden = true; // it was of the address
  draw();
}

let pause = 0;

function searchNow() {
  clearTimeout(pause);
  if (get('search').value !== state.q) change({q: get('search').value});
}

function clearSearch(part) {
  get('search').value = '';
  clearTimeout(pause);
  change({...part, q: ''});
}

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest('input, select, textarea, video');
  if (event.key === 'Escape') {
    if (get('help').open) return; // the dialog closes itself
    if (document.activeElement === get('search')) {
      searchNow();
      get('search').blur();
      event.preventDefault();
    } else if (state.q) clearSearch();
    return;
  }
  if (typing) return;
  if (event.key === '?') { get('help').showModal(); event.preventDefault(); return; }
  if (get('help').open) return;
  if (event.key === '/') {
    if (state.view !== 'items') change({view: 'items'});
    get('search').focus();
    get('search').select();
    event.preventDefault();
    return;
  }
  if (state.view !== 'items') return;
  const inList = document.activeElement === get('list');
  const page = Math.max(1, Math.floor(get('list').clientHeight / ROW) - 1);
  const steps = {j: 1, k: -1};
  if (inList) Object.assign(steps, {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -shown.length, End: shown.length});
  if (steps[event.key]) { choose(list.selected + steps[event.key]); event.preventDefault(); }
}

function listen() {
  get('search').addEventListener('input', () => {
    clearTimeout(pause);
    pause = setTimeout(searchNow, SEARCH_PAUSE);
  });
  get('filters').addEventListener('submit', (event) => event.preventDefault());
  get('benchmark').addEventListener('change', (event) => change({benchmark: event.target.value, a: '', b: '', show: '', item: '', facets: new Map()}));
  get('run-a').addEventListener('change', (event) => change({a: event.target.value}));
  get('run-b').addEventListener('change', (event) => change({b: event.target.value}));
  get('show').addEventListener('change', (event) => change({show: event.target.value}));
  get('clear').addEventListener('click', () => clearSearch({show: '', facets: new Map()}));
  document.addEventListener('keydown', keys);
}

function readAddress() {
  const given = stateFromHash(location.hash);
  // The links of the head name a view only: everything else stays as it was.
  const bare = [...new URLSearchParams(location.hash.slice(1)).keys()].every((key) => key === 'view' || key === 'to');
  state = bare ? {...state, view: given.view, to: given.to} : given;
  if (data) {
    tellMissing(state);
    state = complete(state);
  }
  draw();
  goTo();
}

function goTo() {
  const target = state.view === 'summary' && state.to && get(state.to);
  if (target) target.scrollIntoView();
}

get('help-legend').append(...legend());
get('show-help').addEventListener('click', () => get('help').showModal());
addEventListener('hashchange', readAddress);
for (const link of document.querySelectorAll('.contents a')) {
  link.addEventListener('click', () => { if (link.hash === location.hash) goTo(); });
}
draw();
goTo();
unpack().then((read) => {
  data = read;
  list = new ItemList(get('list'), get('rows'), describe, choose);
  tellMissing(state);
  state = complete(state);
  listen();
  draw();
  document.body.dataset.ready = 'yes';
}).catch(() => {
  get('detail').replaceChildren(element('p', 'notice', 'The items could not be read: this browser is too old, or the file is not whole.'));
  document.body.dataset.ready = 'failed';
});
