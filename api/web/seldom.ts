import { AuditLog } from './manage/audit-log.tsx';
import { FailingAddresses } from './manage/failing-addresses.tsx';
import { Failures } from './manage/failures.tsx';
import { Assertions } from './message/assertions.tsx';
import { RefusedDetails } from './panes/refused-details.tsx';
import { Shares } from './shares/shares.tsx';

/**
 * Parts that few people look at. The browser reads their code together, when the first of them is drawn. Their styles are imported by
 * the files that draw them.
 */
export const seldom = { Assertions, AuditLog, FailingAddresses, Failures, RefusedDetails, Shares };
