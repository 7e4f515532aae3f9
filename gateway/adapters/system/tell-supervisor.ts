import { execFile } from 'node:child_process';

export type TellSupervisor = (words: readonly string[]) => Promise<void>;

/**
 * Speaks to the systemd that started us. Node has no datagram sockets of the file system, so a tiny program of systemd
 * itself does it; where nobody listens nothing is done. Never throws: a supervisor that does not hear acts by itself.
 */
export function supervisorLink(
  environment: Readonly<Record<string, string | undefined>>,
  failed: (error: unknown) => void,
): TellSupervisor | null {
  if (environment['NOTIFY_SOCKET'] === undefined || environment['NOTIFY_SOCKET'] === '') return null;
  return (words) =>
    new Promise((resolve) => {
      // as the child is not the main process the unit says NotifyAccess=all
      execFile('systemd-notify', [...words], { timeout: 5_000 }, (error) => {
        if (error !== null) failed(error);
        resolve();
      });
    });
}
