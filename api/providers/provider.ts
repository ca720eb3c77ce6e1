import type { IncomingHttpHeaders } from 'node:http';
import type { Answer, Dialect } from '#api/dialect.ts';
import type { Draft, RawDraft, RefusedDraft } from '#core/delivery/compose.ts';
import type { ExaminedRequest, ProviderRequest } from '#core/delivery/submit-mails.ts';
import type { Form } from './form.ts';
import type { JsonValue } from './json-value.ts';

/** E-mail provider whose requests are taken, in its own format, and answered as it would. */
export type Provider = Dialect & {
  operations: Operation[];
  /** Finds what becomes of mail to an address that the provider keeps for tests; null for every other address. */
  testAddress?: ProviderRequest['testAddress'];
};

/** Request by POST that a provider takes. */
export type Operation = {
  /** Path after the provider's own, as `/v3/{domain}/messages`. */
  path: string;
  operationId: string;
  summary: string;
  /** Value of the field `Action` in a form, by which operations of one path differ. */
  action?: string;
  /** True if one refused mail leaves the others of its request accepted: always, or by the request's header. */
  eachByItself?: boolean | ((headers: IncomingHttpHeaders) => boolean);
  /** Status of the answer when all mails were taken: 200 where it is missing. */
  success?: number;
  /** Media type of the answers: `application/json` where it is missing; null: a success has no body. */
  answerType?: string | null;
  /** Makes the answer, with the outcomes of the mails in their order. */
  answer(outcomes: Outcome[]): Answer;
} & Reading;

/** Reading of the mails of a request, in the thread that composes them. `params` are the named segments of the path. */
type Reading =
  | { body?: 'json'; read(value: JsonValue, params: Record<string, string>): Iterable<Drafted> }
  | { body: 'form'; read(form: Form, params: Record<string, string>): Iterable<Drafted> };

export type Drafted = Draft | RawDraft | RefusedDraft;

/** Outcome of a mail: its ids and addresses, or the reasons of its refusal. */
export type Outcome = Awaited<ReturnType<ExaminedRequest['store']>>[number];
