'use strict';
// What an answer means. Nothing here touches the page.

const OUTCOMES = {
  hit: {letter: 'H', name: 'hit', means: 'Incorrect sentence, flagged'},
  miss: {letter: 'M', name: 'miss', means: 'Incorrect sentence, not flagged'},
  alarm: {letter: 'F', name: 'false alarm', means: 'Correct sentence, flagged'},
  correct: {letter: 'C', name: 'correct', means: 'Correct sentence, not flagged'},
  unlabelled: {letter: 'U', name: 'unlabelled', means: 'no label in the answer; scored as not flagged'},
  unscored: {letter: '?', name: 'not scored', means: 'the annotators could not tell'},
  absent: {letter: '–', name: 'no answer', means: 'this run did not answer the item'},
};
const GOLD_NAMES = {0: 'Correct', 1: 'Incorrect', '-': 'Unknown'};
const GOLD_VERDICTS = ['ACCEPT', 'REJECT'];
const SIDE_NAMES = ['factual', 'counterfactual'];

// gold and label are '0', '1' or '-'; label is undefined where the run has no answer.
function sentenceOutcome(gold, label) {
  if (label === undefined) return 'absent';
  if (gold === '-') return 'unscored';
  if (label === '-') return 'unlabelled';
  if (gold === '1') return label === '1' ? 'hit' : 'miss';
  return label === '1' ? 'alarm' : 'correct';
}

// A caption without an Incorrect sentence has F1 0 by the paper's convention, whatever the answer.
function isFlawless(item) {
  return item.benchmark === 'vidomni' && !item.gold.includes('1');
}

// Of the sentences without a label: how many count as misses, and how many as correct.
function silentCounts(item, run) {
  const {labels} = item.answers[run];
  const silent = [...item.gold].filter((gold, k) => gold !== '-' && labels[k] === '-');
  const misses = silent.filter((gold) => gold === '1').length;
  return {misses, correct: silent.length - misses};
}

function isUndecided(item, run) {
  const answer = item.answers[run];
  if (!answer) return false;
  if (item.benchmark === 'vidomni') return answer.counts[4] > 0;
  return answer.some((side) => side && side.verdict === null);
}

function isWrong(item, run, side) {
  const answer = item.answers[run];
  return Boolean(answer && answer[side] && !answer[side].right);
}

// One text per answer: two runs disagree where these differ. A missing answer is no opinion.
function opinion(item, answer) {
  if (item.benchmark === 'vidomni') return answer.labels;
  return answer.map((side) => (side ? String(side.verdict) : '')).join('/');
}

function disagree(item, runs) {
  const seen = new Set();
  for (const run of runs) if (item.answers[run]) seen.add(opinion(item, item.answers[run]));
  return seen.size > 1;
}

function isRight(item, run) {
  const answer = item.answers[run];
  if (!answer) return false;
  if (item.benchmark === 'vidomni') return answer.counts[1] + answer.counts[2] + answer.counts[4] === 0;
  return answer.every((side) => side && side.right);
}
