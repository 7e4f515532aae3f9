// Prints the closing line of a continuous-integration run from vitest's JSON report:
// node scripts/count-tests.mjs REPORT EXIT_CODE

import fs from 'node:fs';

const [reportFile = '', exitCode = '1'] = process.argv.slice(2);

// Empty when the run broke off before vitest could write it.
const text = fs.readFileSync(reportFile, 'utf8') || '{ "testResults": [] }';
/** @type {{ testResults: { status: string, assertionResults: { status: string }[] }[] }} */
const report = JSON.parse(text);

const statuses = report.testResults.flatMap((file) => {
  const tests = file.assertionResults.map((test) => test.status);
  // A file that cannot even be loaded holds no tests, and must not pass for it.
  return file.status === 'failed' && !tests.includes('failed') ? [...tests, 'failed'] : tests;
});
const passed = statuses.filter((status) => status === 'passed').length;
const failed = statuses.filter((status) => status === 'failed').length;
const skipped = statuses.length - passed - failed;
const isUnexplained = exitCode !== '0' && failed === 0;

console.log(`${passed} passed, ${isUnexplained ? 1 : failed} failed, ${skipped} skipped`);
