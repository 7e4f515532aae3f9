import { useSearchParams } from 'wouter-preact';

/** A filter of a page that stands in its address: whoever gets it sees the same, and so does who comes back. '' is none. */
export function useInAddress(name: string): [value: string, keep: (value: string) => void] {
  const [asked, ask] = useSearchParams();
  const keep = (value: string) =>
    ask(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  return [asked.get(name) ?? '', keep];
}
