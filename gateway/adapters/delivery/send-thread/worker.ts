import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { addressPolicy } from '../address-policy.ts';
import { channelSecrets } from '../channel-secrets.ts';
import { safePoster } from '../post-safely.ts';
import { pushSender } from '../send-push.ts';
import { webhookSender } from '../send-webhook.ts';
import type { SendReplies, SendReply, SendRequest, SendThreadData } from './messages.ts';

// Runs in a thread of its own: encrypts, signs and posts messages, many at a time.

const LOW_PRIORITY = 10;

// a box has few cores, and control needs one of them; elsewhere than on Linux this would slow down the whole process
if (process.platform === 'linux') setPriority(LOW_PRIORITY);

const { role, inside, channelSecret, vapid, contact } = workerData as SendThreadData; // handed over by send-thread.ts
const policy = addressPolicy(role, inside);
const { webhookSecret } = channelSecrets(channelSecret);
const sendBy = {
  WEBHOOK: webhookSender({ ...safePoster({ policy }), secretOf: webhookSecret }),
  WEB_PUSH: pushSender({ ...safePoster({ policy }), vapid, contact }),
};

parentPort?.on('message', (request: SendRequest) => {
  void answer(request).then(tell);
});

let done: SendReply[] = [];
function tell(reply: SendReply): void {
  if (done.push(reply) > 1) return;
  setImmediate(() => {
    parentPort?.postMessage(done satisfies SendReplies);
    done = [];
  });
}

async function answer({ id, kind, message }: SendRequest): Promise<SendReply> {
  try {
    return { id, outcome: await sendBy[kind](message) };
  } catch (error) {
    return { id, fault: String(error) };
  }
}
