import { readlink, symlink, unlink } from 'node:fs/promises';

// A name for a simulated port that stays the same while the port behind it changes.

/** Lets `link` lead to a port. A link left by an earlier run is replaced; throws an Error for anything else in its place. */
export async function linkTo(link: string, target: string): Promise<void> {
  const before = await readlink(link).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new Error(`${link} is there already and is no link.`, { cause: error });
  });
  if (before !== null) await unlink(link);
  await symlink(target, link);
}

/** Takes the link away, unless it leads elsewhere by now: then it is somebody else's. */
export async function dropLink(link: string, target: string): Promise<void> {
  const now = await readlink(link).catch(() => null);
  if (now === target) await unlink(link).catch(() => undefined);
}
