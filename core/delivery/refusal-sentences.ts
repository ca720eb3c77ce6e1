import type { CaptureRefusal } from './capture-recipient.ts';
import type { DeliveryRefusal } from './delivery.ts';

/** Predicates of a sentence about a recipient that is refused. */
export const refusalSentences: Record<CaptureRefusal, string> = {
  'bad-address': 'must be a bare address such as qa@app.test',
  'unknown-domain': 'is not on one of your domains',
  'inactive-domain': 'its domain is not active',
  'unverified-domain': 'its domain is not verified',
  'no-such-account': 'no account takes mail for it',
  'inactive-account': 'its account is not active',
  'no-room': 'its account has no room',
  'no-capture':
    'is not one of your addresses, and none of your accounts captures mail to others: turn Capture on for one (is_capture)',
  'no-capture-setting': 'is not on a registered domain',
};

/** Predicates of a sentence about an account that refused a mail at its commit. */
export const deliverySentences: Record<DeliveryRefusal['reason'], string> = {
  gone: 'is no longer there',
  inactive: 'is not active',
  'no-room': 'has no room',
};
