import { AdoptionQueue } from './adoption-queue.tsx';
import { ProvisioningWindow } from './provisioning-window.tsx';
import { RelayList } from './relay-list.tsx';

/** How devices come onto the farm: relays it has, the window, who knocked. Only the gateway has a door. */
export function AtTheDoor() {
  return (
    <>
      <RelayList />
      <ProvisioningWindow />
      <AdoptionQueue />
    </>
  );
}
