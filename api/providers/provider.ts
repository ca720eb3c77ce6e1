import type { IncomingHttpHeaders } from 'node:http';
import type { Answer, Dialect } from '#api/dialect.ts';
import type { Draft, RawDraft, RefusedDraft } from '#core/delivery/compose.ts';
import type { ExaminedRequest, ProviderRequest } from '#core/delivery/submit-mails.ts';
import type { Form } from './form.ts';
import type { JsonValue } from './json-value.ts';

/** Email provider whose requests are accepted, and answered, in its own format. */
export type Provider = Dialect & {
  operations: Operation[];
  /** Finds the outcome of mail to a provider's test address. Returns null for every other address. */
  testAddress?: ProviderRequest['testAddress'];
};

/** POST request in a provider's API. */
export type Operation = {
  /** Path after the provider's own, such as `/v3/{domain}/messages`. */
  path: string;
  operationId: string;
  summary: string;
  /** Value of a form's `Action` field, which distinguishes operations on the same path. */
  action?: string;
  /** True if refusing one email does not refuse the request's other emails: always, or depending on the request's header. */
  eachIndependently?: boolean | ((headers: IncomingHttpHeaders) => boolean);
  /** Response status if all emails were accepted. Default: 200. */
  success?: number;
  /** Media type of the responses. Default: `application/json`. Null: a successful response has no body. */
  answerType?: string | null;
  /** Creates the response from the emails' outcomes, in order. */
  answer(outcomes: Outcome[]): Answer;
} & Reading;

/** Reads a request's emails in the thread that composes them. `params` are the path's named segments. */
type Reading =
  | { body?: 'json'; read(value: JsonValue, params: Record<string, string>): Iterable<Drafted> }
  | { body: 'form'; read(form: Form, params: Record<string, string>): Iterable<Drafted> };

export type Drafted = Draft | RawDraft | RefusedDraft;

/** Outcome of an email: its ids and addresses, or the reasons for its refusal. */
export type Outcome = Awaited<ReturnType<ExaminedRequest['store']>>[number];
