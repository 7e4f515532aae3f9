import { useEffect, useState } from 'preact/hooks';

const CALM_MS = 300;

/** A value once it has stood still: while a slider is drawn the gateway is not asked for every step. */
export function useCalm<Value>(value: Value): Value {
  const [calm, setCalm] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setCalm(value), CALM_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return calm;
}
