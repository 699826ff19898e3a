// One item: its video, texts, gold and what the runs said. All text is set as text.

// Text with the characters spelled out that steer a terminal, or turn or hide what follows.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function visible(text) {
  return text.replace(/\r\n/g, '\n').replace(UNSEEN, (sign) => {
    const code = sign.charCodeAt(0).toString(16);
    return code.length > 2 ? '\\u' + code.padStart(4, '0') : '\\x' + code.padStart(2, '0');
  });
}

function element(tag, kind, text) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = visible(text);
  return made;
}

function chip(outcome) {
  const {letter, name, means} = OUTCOMES[outcome];
  const made = element('span', 'chip ' + outcome, letter);
  made.title = name + ': ' + means;
  return made;
}

function legend() {
  return Object.entries(OUTCOMES).map(([key, {name, means}]) => {
    const line = element('li');
    line.append(chip(key), ' ' + name);
    line.append(element('small', '', ' ' + means));
    return line;
  });
}

// Places of the marked words in a sentence; words that are not in it are told behind it.
function spansOf(sentence, errors) {
  const lower = sentence.toLowerCase();
  const spans = [];
  const taken = new Array(sentence.length).fill(false);
  const loose = [];
  for (const [category, words] of errors) {
    let at = words ? lower.indexOf(words.toLowerCase()) : -1;
    while (at >= 0 && taken[at]) at = lower.indexOf(words.toLowerCase(), at + 1);
    const free = at >= 0 && lower.length === sentence.length && !taken.slice(at, at + words.length).includes(true);
    if (!free) { loose.push([category, words]); continue; }
    taken.fill(true, at, at + words.length);
    spans.push({start: at, end: at + words.length, category});
  }
  return {spans: spans.sort((a, b) => a.start - b.start), loose};
}

function sentenceText(sentence, errors) {
  const cell = element('td', 'text');
  const {spans, loose} = spansOf(sentence, errors || []);
  let at = 0;
  for (const {start, end, category} of spans) {
    cell.append(visible(sentence.slice(at, start)));
    const mark = element('mark', '', sentence.slice(start, end));
    mark.title = category;
    cell.append(mark, element('span', 'tag', category));
    at = end;
  }
  cell.append(visible(sentence.slice(at)));
  for (const [category, words] of loose) {
    cell.append(' ', element('span', 'tag', words ? category + ': ' + words : category));
  }
  return cell;
}

function factLine(item) {
  const line = element('dl', 'facts');
  const add = (name, value) => {
    if (value === null || value === undefined || value === '') return;
    const entry = element('div');
    entry.append(element('dt', '', name), element('dd', '', value));
    line.append(entry);
  };
  add('Pair', item.key);
  add('Video', item.video);
  for (const [name, title] of FACETS[item.benchmark]) add(title, factValues(item, name).join(', '));
  if (item.facts.seconds !== undefined) add('Seconds', String(Math.round(item.facts.seconds * 10) / 10));
  return line;
}

function videoBox(item, data) {
  const {link, posters} = data.videos[item.file];
  const box = element('div', 'video');
  if (link) {
    const video = element('video');
    video.controls = true;
    video.preload = 'metadata';
    video.setAttribute('aria-label', 'Video ' + item.video);
    const failed = element('p', 'note', 'The video cannot be played from here: ');
    const open = element('a', '', link);
    open.href = link;
    failed.append(open);
    failed.hidden = true;
    video.addEventListener('error', () => { failed.hidden = false; video.hidden = true; strip.hidden = false; });
    video.src = link;
    box.append(video, failed);
  }
  const strip = element('div', 'posters');
  posters.forEach((uri, k) => {
    const picture = element('img');
    picture.src = uri;
    picture.alt = 'Frame ' + (k + 1) + ' of ' + posters.length + ' of video ' + item.video;
    strip.append(picture);
  });
  strip.hidden = Boolean(link) && posters.length === 0;
  if (posters.length) box.append(strip);
  if (!link && !posters.length) box.append(element('p', 'note', 'No file of video ' + item.video + ' was found when this report was written.'));
  return box;
}

function headRow(names) {
  const head = element('thead');
  const row = element('tr');
  for (const [name, kind] of names) {
    const cell = element('th', kind, name);
    cell.scope = 'col';
    row.append(cell);
  }
  head.append(row);
  return head;
}

function runHeads(runs, data) {
  return runs.map((run, k) => [(runs.length > 1 ? 'AB'[k] + ': ' : '') + data.runs[run].name, 'verdict']);
}

function captionTable(item, runs, data) {
  const table = element('table', 'sentences');
  table.append(headRow([['#', 'number'], ['Sentence', ''], ['Gold', 'verdict'], ...runHeads(runs, data)]));
  const body = element('tbody');
  item.sentences.forEach((sentence, k) => {
    const gold = item.gold[k];
    const outcomes = runs.map((run) => sentenceOutcome(gold, item.answers[run] && item.answers[run].labels[k]));
    const row = element('tr', outcomes[0] || '');
    row.append(element('td', 'number', String(k + 1)), sentenceText(sentence, item.errors[k]));
    row.append(element('td', 'verdict', GOLD_NAMES[gold]));
    for (const outcome of outcomes) {
      const cell = element('td', 'verdict ' + outcome);
      cell.append(chip(outcome), ' ' + OUTCOMES[outcome].name);
      row.append(cell);
    }
    body.append(row);
  });
  table.append(body);
  return table;
}

function captionScores(item, runs, data) {
  const line = element('ul', 'scores');
  runs.forEach((run, k) => {
    const answer = item.answers[run];
    const entry = element('li');
    entry.append(element('b', '', (runs.length > 1 ? 'AB'[k] + ': ' : '') + runKey(data.runs[run])));
    if (!answer) entry.append(' did not answer this pair');
    else {
      const [hits, alarms, misses, correct, unlabelled] = answer.counts;
      entry.append(' F1 ' + answer.f1.toFixed(1) + ' · hits ' + hits + ', misses ' + misses +
        ', false alarms ' + alarms + ', correct ' + correct);
      const silent = silentCounts(item, run);
      if (unlabelled) {
        entry.append(' · without a label ' + unlabelled + ' (' + silent.misses + ' in misses, ' +
          silent.correct + ' in correct)');
      }
      if (isFlawless(item)) entry.append(' · no Incorrect sentence: F1 is 0 whatever the answer');
      if (answer.reason) entry.append(element('em', '', ' · reason: ' + answer.reason));
    }
    line.append(entry);
  });
  return line;
}

function pairTable(item, runs, data) {
  const table = element('table', 'pair');
  table.append(headRow([['Answer', ''], ['Candidate', ''], ['Gold', 'verdict'], ...runHeads(runs, data)]));
  const body = element('tbody');
  item.candidates.forEach((candidate, side) => {
    const row = element('tr');
    const name = element('th', '', SIDE_NAMES[side]);
    name.scope = 'row';
    row.append(name, element('td', 'text', candidate === null ? '(in no samples file)' : candidate));
    row.append(element('td', 'verdict', GOLD_VERDICTS[side]));
    for (const run of runs) {
      const answer = item.answers[run] && item.answers[run][side];
      const kind = !answer ? 'absent' : answer.verdict === null ? 'unlabelled' : answer.right ? 'hit' : 'miss';
      const sign = {absent: '–', unlabelled: 'U', hit: '✓', miss: '✗'}[kind];
      const words = !answer ? 'no answer' : answer.verdict === null ? 'undecided' : answer.verdict + (answer.right ? ', right' : ', wrong');
      const cell = element('td', 'verdict ' + kind);
      cell.append(element('span', 'chip ' + kind, sign), ' ' + words);
      if (answer && answer.reason) cell.append(element('div', 'reason', answer.reason));
      row.append(cell);
    }
    body.append(row);
  });
  table.append(body);
  return table;
}

function rawAnswers(item, runs, data) {
  const box = element('div', 'answers');
  for (const run of runs) {
    const column = element('section');
    column.append(element('h2', '', 'Answer of ' + runKey(data.runs[run])));
    const answer = item.answers[run];
    const parts = item.benchmark === 'vidomni' ? [['', answer]] : SIDE_NAMES.map((name, k) => [name, answer && answer[k]]);
    for (const [name, part] of parts) {
      if (name) column.append(element('h3', '', name));
      const text = !part ? '(no answer)' : !data.texts ? '(this report was made with --no-answers)' : part.text === null ? '(not in the samples file)' : data.texts[part.text] || '(empty)';
      column.append(element('pre', '', text));
    }
    box.append(column);
  }
  return box;
}

function drawDetail(box, item, runs, data) {
  if (!item) {
    box.replaceChildren(element('p', 'note', data.items.length ? 'No item fits these filters.'
      : 'No run of this report has pairs to look at: neither samples of VidOmni nor of VidHalLoc.'));
    return;
  }
  const facts = element('div');
  facts.append(factLine(item));
  const parts = [];
  if (item.benchmark === 'vidomni') {
    facts.append(captionScores(item, runs, data));
    const key = element('ul', 'legend');
    key.append(...legend());
    parts.push(key, captionTable(item, runs, data));
  } else {
    parts.push(element('h2', 'question', item.question), pairTable(item, runs, data));
  }
  const top = element('div', 'head');
  top.append(videoBox(item, data), facts);
  box.replaceChildren(top, ...parts, rawAnswers(item, runs, data));
  box.scrollTop = 0;
}
