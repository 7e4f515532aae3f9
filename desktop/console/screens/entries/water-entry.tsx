import { useEffect, useState } from 'preact/hooks';
import { WaterGrid } from './water-grid.tsx';
import { WaterStepper } from './water-stepper.tsx';

const narrow = matchMedia('(max-width: 760px)');

/** A sheet like the one on paper where there is room and a keyboard; pond by pond with large keys on a phone. */
export function WaterEntry() {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  // a phone that is turned to and fro comes back to the pond where it was
  const [step, setStep] = useState<number | null>(null);
  useEffect(() => {
    const follow = (event: MediaQueryListEvent) => setNarrow(event.matches);
    narrow.addEventListener('change', follow);
    return () => narrow.removeEventListener('change', follow);
  }, []);
  return isNarrow ? <WaterStepper step={step} onStep={setStep} /> : <WaterGrid />;
}
