import type { accountShape } from '#api/nouns/accounts.ts';
import type { domainShape } from '#api/nouns/domains.ts';
import type { failureShape } from '#api/nouns/failures.ts';
import type {
  auditList,
  createdInvitation,
  invitationShape,
  shownInvitation,
} from '#api/nouns/invitations.ts';
import type { mailboxShape } from '#api/nouns/mailboxes.ts';
import type { refusalShape } from '#api/nouns/refusals.ts';
import type { ruleShape } from '#api/nouns/rules.ts';
import type { searchShape } from '#api/nouns/searches.ts';
import type { serverShape, storageShape } from '#api/nouns/service.ts';
import type { createdShare, shareShape } from '#api/nouns/shares.ts';
import type { tagList } from '#api/nouns/tags.ts';
import type { memberShape, teamShape } from '#api/nouns/teams.ts';
import type { createdToken, tokenShape } from '#api/nouns/tokens.ts';
import type { signInMethods, userShape } from '#api/nouns/users.ts';
import type { authenticationShape } from '#api/shapes/authentication.ts';
import type { bulkShape } from '#api/shapes/bulk.ts';
import type { attachmentShape, messageShape } from '#api/shapes/message.ts';
import type { checksShape, linksShape, transcriptShape } from '#api/shapes/message-checks.ts';
import type { messageList } from '#api/shapes/message-list.ts';
import type { sourceShape } from '#api/shapes/message-request.ts';
import type { summaryShape } from '#api/shapes/message-summary.ts';
import type { problemShape, validationProblemShape } from '#api/shapes/problem.ts';
import type { Wire } from '#api/shapes/response-shape.ts';
import type { explanationShape } from '#api/shapes/search.ts';

/** API objects, from the declarations that also produce the API's OpenAPI document. Times are ISO 8601, sizes are in bytes. */
export type { EventData as MailEvent } from '#api/shapes/event.ts';
export type { List } from '#api/shapes/page.ts';

export type Session = Wire<typeof userShape>;
export type SignInMethods = Wire<typeof signInMethods>;
export type Server = Wire<typeof serverShape>;
export type Storage = Wire<typeof storageShape>;
export type Domain = Wire<typeof domainShape>;
export type Account = Wire<typeof accountShape>;
export type Mailbox = Wire<typeof mailboxShape>;
export type SavedSearch = Wire<typeof searchShape>;
export type Explanation = Wire<typeof explanationShape>;
export type Tag = Wire<typeof tagList>['items'][number];
export type Rule = Wire<typeof ruleShape>;
export type FailureRule = Wire<typeof failureShape>;
export type Refused = Wire<typeof refusalShape>;
export type Token = Wire<typeof tokenShape>;
export type CreatedToken = Wire<typeof createdToken>;
export type Share = Wire<typeof shareShape>;
export type CreatedShare = Wire<typeof createdShare>;

export type Team = Wire<typeof teamShape>;
export type Role = Team['role'];
export type Member = Wire<typeof memberShape>;
export type Invitation = Wire<typeof invitationShape>;
export type CreatedInvitation = Wire<typeof createdInvitation>;
export type ShownInvitation = Wire<typeof shownInvitation>;
export type AuditEntry = Wire<typeof auditList>['items'][number];

export type MessageSummary = Wire<typeof summaryShape>;
export type MessageList = Wire<typeof messageList>;
export type Message = Wire<typeof messageShape>;
export type ClientChecks = Wire<typeof checksShape>;
/** Results of a message with assumed facts. */
export type Assumed = Wire<typeof authenticationShape>;
export type CheckedLinks = Wire<typeof linksShape>;
export type BulkResult = Wire<typeof bulkShape>;
export type BulkAction = 'read' | 'unread' | 'flag' | 'unflag' | 'move' | 'delete' | 'tag' | 'untag';
export type Transcript = Wire<typeof transcriptShape>;
export type Source = Wire<typeof sourceShape>;
export type Attachment = Wire<typeof attachmentShape>;
export type Part = Message['structure'];
export type Person = Message['to'][number];
export type Severity = keyof Message['audit']['checks'];
export type AuditCheck = Message['audit']['checks'][Severity][number];

/** Problem from the API, or the page's own problem with a separate code. */
export type Problem = Pick<Wire<typeof problemShape>, 'title' | 'status' | 'detail'> & {
  code: string;
  violations?: Wire<typeof validationProblemShape>['violations'];
};
