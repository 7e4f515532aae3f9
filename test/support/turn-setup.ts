import type { TestProject } from 'vitest/node';

/** A run that failed names what it walked, so that it can be walked again. */
export function setup({ vitest, name, config }: TestProject): () => void {
  return () => {
    const files = vitest.state.getFiles().filter(({ projectName }) => projectName === name);
    if (files.some(({ result }) => result?.state === 'fail'))
      vitest.logger.error(
        `The parts of this run are walked again by TESTS_TURN=${String(config.env['TESTS_TURN'])}.`,
      );
  };
}
