import { serve } from '#adapters/threads/serve.ts';
import type { MailToInspect } from '#core/checks/check-message.ts';
import { createClientTable } from './client-table.ts';
import { FeatureNames } from './feature-names.ts';
import { inspectMail } from './inspect-mail.ts';

const names = new FeatureNames(createClientTable().features.values());

/** Entry of the thread that inspects mails. */
serve({ inspect: (mail: MailToInspect) => inspectMail(mail, names) });
