import { AdoptionQueue } from './adoption-queue.tsx';
import { ProvisioningWindow, useWindow } from './provisioning-window.tsx';
import { RelayList } from './relay-list.tsx';
import { useRefresh } from './use-refresh.ts';

const WHILE_OPEN_MS = 2_000;
const ELSE_MS = 5_000;

/** How devices come onto the farm: relays it has, the window, who knocked. Only the gateway has a door. */
export function AtTheDoor() {
  const isOpen = useWindow().data?.is_open === true;
  useRefresh(isOpen ? WHILE_OPEN_MS : ELSE_MS, 'adoption', 'relays');
  return (
    <>
      <RelayList />
      <ProvisioningWindow />
      <AdoptionQueue />
    </>
  );
}
