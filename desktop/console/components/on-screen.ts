import { useEffect, useRef, useState } from 'preact/hooks';

/** Whether an element is where somebody can see it; false until the browser has said so. */
export function useOnScreen<Shown extends Element>() {
  const ref = useRef<Shown>(null);
  const [isOnScreen, setOnScreen] = useState(false);
  useEffect(() => {
    if (ref.current === null) return;
    const observer = new IntersectionObserver((seen) => setOnScreen(seen.at(-1)?.isIntersecting ?? false));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return { ref, isOnScreen };
}
