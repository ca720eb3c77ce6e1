import { type Sender, type SenderTable, senderKeys } from '#core/messages/sender.ts';
import { withKeys } from '#core/messages/traits.ts';
import type { DeliveryStore, PreparedMail } from './delivery.ts';

export function sentBy(mail: PreparedMail, sender: Sender): PreparedMail {
  const added = senderKeys(sender);
  const targets = mail.targets.map((target) => {
    const keys = [...target.keys, ...added];
    return {
      ...target,
      envelope: { ...target.envelope, sender },
      keys,
      traits: withKeys(target.traits, keys),
    };
  });
  return { ...mail, targets };
}

/**
 * Wraps a delivery store to add the pod's name to email sent by SMTP from the pod's address. A provider API request may have come through
 * a proxy, so its address proves nothing.
 */
export function withSenders(deliveries: DeliveryStore, { find }: Pick<SenderTable, 'find'>): DeliveryStore {
  const named = async (mail: PreparedMail): Promise<PreparedMail> => {
    const { helo, remoteAddress } = mail.targets[0]?.envelope ?? {};
    if (typeof helo !== 'string' || typeof remoteAddress !== 'string') return mail;
    const sender = await find(remoteAddress);
    return sender === null ? mail : sentBy(mail, sender);
  };
  return {
    ...deliveries,
    commit: async (mails, options) => deliveries.commit(await Promise.all(mails.map(named)), options),
  };
}
