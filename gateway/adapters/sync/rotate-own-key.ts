import { keysAnswer } from '#contract/sync/wire.ts';
import type { AskHosted } from './ask-hosted.ts';
import { signText } from './ed25519.ts';
import type { GatewayKeys, GatewaySession } from './pairing-http.ts';

/**
 * Gives the gateway a new key. It is on disk before the hosted instance hears of it, and both keys open there for a
 * week: whenever the power goes, one of them is known on both sides. Asked again it goes on where it was.
 */
export function rotateOwnKey(deps: {
  ask: AskHosted;
  keys: GatewayKeys;
  gatewayId: string;
  paired: () => Promise<{ hosted_url: string } | null>;
  session: GatewaySession;
}): () => Promise<{ oldKeyUntil: string }> {
  return async () => {
    const paired = await deps.paired();
    const old = await deps.keys.current();
    if (paired === null || old === null) throw new Error('only a paired gateway has a key to change');
    const next = await deps.keys.makeNext();
    const text = `keys:${deps.gatewayId}:${next.public_key}`;
    const body = {
      public_key: next.public_key,
      proof_old: signText(old, text),
      proof_new: signText(next, text),
    };
    const token = await deps.session.sessionToken();
    const { old_key_until: oldKeyUntil } = await deps.ask(
      { url: paired.hosted_url, path: '/sync/v1/keys', token, body },
      keysAnswer,
    );
    await deps.keys.adoptNext();
    deps.session.forgetToken();
    return { oldKeyUntil };
  };
}
