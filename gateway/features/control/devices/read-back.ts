import type { Kernel } from '#core/kernel.ts';

const AGAIN_MS = 5_000;

export type ReadBackDeps<View> = Pick<Kernel, 'log'> & {
  refresh: (id: string) => Promise<View | null>;
  later: (ms: number, run: () => void) => void;
  /** Hears of each that control knows again. */
  isBack: (view: View) => void;
};

/** Brings a control point that was deleted back to control. What nobody could read is not controlled: it is read until it can be. */
export function createReadBack<View>(deps: ReadBackDeps<View>): (id: string) => void {
  return function readBack(id) {
    deps.refresh(id).then(
      (view) => {
        if (view !== null) deps.isBack(view);
      },
      (error: unknown) => {
        deps.log.error({ err: error, id }, 'a control point that came back could not be read');
        deps.later(AGAIN_MS, () => readBack(id));
      },
    );
  };
}
