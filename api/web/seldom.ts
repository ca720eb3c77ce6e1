import { Manage } from './manage/manage.tsx';
import { Assertions } from './message/assertions.tsx';
import { RefusedDetails } from './panes/refused-details.tsx';
import { Empty } from './start/empty.tsx';
import { FirstMail } from './start/first-mail.tsx';
import { InvitationPage } from './teams/invitation.tsx';

/**
 * Parts that few people look at, or that nobody sees at first. The browser loads their code together when the first of them is drawn.
 * Their styles are in the shared style sheet.
 */
export const seldom = { Assertions, Empty, FirstMail, InvitationPage, Manage, RefusedDetails };
