import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { welcomeWords } from '#words/onboarding.ts';
import { Button } from '../../components/button.tsx';
import { ControlButton, ControlMark, controlNow } from '../../components/control-button.tsx';
import { SimulatedMark } from '../../components/simulated.tsx';
import { type ControlPoint, farm, farmAirPoints, farmControlPoints } from '../../data/farm-store.ts';
import { isFromAfar, isHosted } from '../../data/instance.ts';
import { leaveStep } from '../../data/welcome-way.ts';
import { AdoptDialog } from '../devices/adopt-dialog.tsx';
import { AdoptionQueue } from '../devices/adoption-queue.tsx';
import { DeviceKeys } from '../devices/device-keys.tsx';
import { DevicePonds } from '../devices/device-ponds.tsx';
import { PointDialog, SeenDevices } from '../devices/devices.tsx';
import { ProvisioningWindow } from '../devices/provisioning-window.tsx';
import { FarmFirst } from './farm-ready-steps.tsx';

/** Who knocks is adopted, told its key, and given its ponds, all in one place. */
export function ControllerStep() {
  const words = welcomeWords();
  const points = farmControlPoints.value;
  const real = points.filter(({ is_simulated }) => !is_simulated);
  const known = farm.value;
  if (known === null) return <FarmFirst title={words.controller} />;
  return (
    <>
      <h2>{words.controller}</h2>
      {points.length > 0 ? (
        <>
          {real.length > 0 ? <p>{words.haveControllers(real.length)}</p> : null}
          <ul>
            {points.map(({ id, cod, device_id, is_simulated }) => (
              <li key={id}>
                <Link
                  class="way"
                  href={`/sistema/dispositivos/${id}`}
                  onClick={() => leaveStep('controlador')}
                >
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
      {real.map((point) => (point.is_siren ? null : <DevicePonds key={point.id} point={point} />))}
      {!isHosted.value ? <AtTheDoor hasOne={real.length > 0} /> : <InTheCloud farmId={known.id} />}
      {isHosted.value ? null : (
        <details>
          <summary>{words.noController}</summary>
          <div class="stack">
            <p class="muted">{words.simulatorText}</p>
            <div>
              <Link class="button" href="/sistema/bancada/simulador" onClick={() => leaveStep('controlador')}>
                {words.simulator}
              </Link>
            </div>
          </div>
        </details>
      )}
    </>
  );
}

function AtTheDoor({ hasOne }: { hasOne: boolean }) {
  const words = welcomeWords();
  const [isTyping, setTyping] = useState(false);
  return (
    <>
      <ProvisioningWindow />
      <AdoptionQueue />
      <div>
        <Button look={hasOne ? 'quiet' : 'plain'} onClick={() => setTyping(true)}>
          {words.otherController}
        </Button>
      </div>
      {isTyping ? <AdoptDialog onClose={() => setTyping(false)} /> : null}
    </>
  );
}

/** A controller that talks to the hosted instance itself; that of a farm with a box comes in there. */
function InTheCloud({ farmId }: { farmId: string }) {
  const words = welcomeWords();
  const [adopting, setAdopting] = useState<string | null>(null);
  const [madeId, setMadeId] = useState<string | null>(null);
  const made = farmControlPoints.value.find(({ id }) => id === madeId);
  if (isFromAfar(farmId)) return <p class="note">{words.atItsBox}</p>;
  return (
    <>
      {made === undefined ? null : <DeviceKeys point={made} />}
      <SeenDevices onAdopt={setAdopting} />
      <div>
        <Button big onClick={() => setAdopting('')}>
          {words.addController}
        </Button>
      </div>
      {adopting === null ? null : (
        <PointDialog
          deviceId={adopting}
          onMade={(id) => {
            setMadeId(id);
            setAdopting(null);
          }}
          onClose={() => setAdopting(null)}
        />
      )}
    </>
  );
}

/** The first time that a motor turns by an order from here. */
export function FirstOnStep() {
  const words = welcomeWords();
  const real = farmAirPoints.value.filter(({ is_simulated }) => !is_simulated);
  const shown = real.length > 0 ? real : farmAirPoints.value;
  return (
    <>
      <h2>{words.firstOn}</h2>
      <p class="muted">{words.firstOnText}</p>
      {farm.value === null || shown.length === 0 ? (
        <p>{farm.value === null ? words.farmFirst : words.noPoint}</p>
      ) : (
        <ul class="lines">
          {shown.map((point) => (
            <Motor key={point.id} point={point} />
          ))}
        </ul>
      )}
    </>
  );
}

function Motor({ point }: { point: ControlPoint }) {
  const words = welcomeWords();
  const { facts, state } = controlNow(point);
  return (
    <li class="row apart" data-point={point.cod} data-motor={state.is}>
      <div class="grow">
        <strong>{point.cod}</strong> <SimulatedMark is={point.is_simulated} /> <ControlMark state={state} />
        <p role="status">
          {state.is === 'on' ? `✓ ${words.isOn}` : facts.reported === null ? words.unheard : ''}
        </p>
      </div>
      <ControlButton point={point} />
    </li>
  );
}
