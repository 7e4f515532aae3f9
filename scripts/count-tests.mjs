// Prints the closing line of a continuous-integration run from vitest's JSON reports:
// node scripts/count-tests.mjs EXIT_CODE REPORT [REPORT_OF_A_SECOND_RUN]
// or the test files that failed, a line each: node scripts/count-tests.mjs --failed REPORT
// or the tests that an earlier run had and a later one has not, or only skips: node scripts/count-tests.mjs --lost EARLIER LATER
// (exits with 1 when there are any)

import fs from 'node:fs';

/** @typedef {{ name: string, status: string, assertionResults: { status: string, fullName: string }[] }} TestFile */

/** @param {string} reportFile @returns {TestFile[]} none when the run broke off before vitest could write them */
function filesOf(reportFile) {
  const text = fs.readFileSync(reportFile, 'utf8') || '{ "testResults": [] }';
  return JSON.parse(text).testResults;
}

/** @param {TestFile[]} files @returns {string[]} */
const statusesOf = (files) =>
  files.flatMap((file) => {
    const tests = file.assertionResults.map((test) => test.status);
    // A file that cannot even be loaded holds no tests, and must not pass for it.
    return file.status === 'failed' && !tests.includes('failed') ? [...tests, 'failed'] : tests;
  });

/**
 * How often each test ran, by its whole name and not by its file, so that it may move.
 * @param {TestFile[]} files
 */
function runsByName(files) {
  /** @type {Map<string, number>} */
  const runs = new Map();
  for (const { fullName, status } of files.flatMap((file) => file.assertionResults))
    if (status === 'passed' || status === 'failed') runs.set(fullName, (runs.get(fullName) ?? 0) + 1);
  return runs;
}

/** @param {TestFile[]} earlier @param {TestFile[]} later @returns {string[]} */
function lostBetween(earlier, later) {
  const kept = runsByName(later);
  return [...runsByName(earlier)].flatMap(([name, runs]) => {
    const missing = runs - (kept.get(name) ?? 0);
    return missing > 0 ? [`${missing} of ${runs} lost: ${name}`] : [];
  });
}

const [first = '', reportFile = '', secondFile] = process.argv.slice(2);
const firstFiles = filesOf(reportFile);
const failedFiles = firstFiles.filter((file) => statusesOf([file]).includes('failed'));

if (first === '--failed') {
  for (const { name } of failedFiles) console.log(name);
} else if (first === '--lost') {
  const lost = lostBetween(firstFiles, filesOf(secondFile ?? ''));
  for (const line of lost) console.log(line);
  process.exitCode = lost.length === 0 ? 0 : 1;
} else {
  const again = secondFile === undefined ? [] : filesOf(secondFile);
  const files = [...firstFiles.filter(({ name }) => !again.some((file) => file.name === name)), ...again];
  for (const { name, assertionResults } of secondFile === undefined ? [] : failedFiles) {
    const tests = assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => fullName);
    console.log(`unsteady, failed in the first run: ${[name, ...tests].join('\n  ')}`);
  }
  const statuses = statusesOf(files);
  const passed = statuses.filter((status) => status === 'passed').length;
  const failed = statuses.filter((status) => status === 'failed').length;
  const isUnexplained = first !== '0' && failed === 0;
  console.log(
    `${passed} passed, ${isUnexplained ? 1 : failed} failed, ${statuses.length - passed - failed} skipped`,
  );
}
