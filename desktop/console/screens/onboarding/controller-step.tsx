import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Button } from '../../components/button.tsx';
import { SimulatedMark } from '../../components/simulated.tsx';
import { farm, farmControlPoints } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { PointDialog } from '../devices/point-dialog.tsx';
import { SeenDevices } from '../devices/seen-devices.tsx';
import { welcomeWords } from './words.ts';

export function ControllerStep() {
  const words = welcomeWords();
  const [adopting, setAdopting] = useState<string | null>(null);
  const points = farmControlPoints.value;
  const real = points.filter(({ is_simulated }) => !is_simulated).length;
  if (farm.value === null) {
    return (
      <>
        <h2>{words.controller}</h2>
        <p>{words.farmFirst}</p>
      </>
    );
  }
  return (
    <>
      <h2>{words.controller}</h2>
      {points.length > 0 ? (
        <>
          {real > 0 ? <p>{words.haveControllers(real)}</p> : null}
          <ul>
            {points.map(({ id, cod, device_id, is_simulated }) => (
              <li key={id}>
                <Link class="way" href={`/sistema/dispositivos/${id}`}>
                  {cod}
                </Link>{' '}
                <span class="mono">{device_id}</span> <SimulatedMark is={is_simulated} />
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p class="muted">{words.controllerText}</p>
      )}
      <SeenDevices onAdopt={setAdopting} />
      <div>
        <Button big look={real === 0 ? 'main' : 'plain'} onClick={() => setAdopting('')}>
          {words.addController}
        </Button>
      </div>
      {isHosted.value ? null : (
        <details>
          <summary>{words.noController}</summary>
          <div class="stack">
            <p class="muted">{words.simulatorText}</p>
            <div>
              <Link class="button" href="/sistema/bancada/simulador">
                {words.simulator}
              </Link>
            </div>
          </div>
        </details>
      )}
      {adopting === null ? null : <PointDialog deviceId={adopting} onClose={() => setAdopting(null)} />}
    </>
  );
}
