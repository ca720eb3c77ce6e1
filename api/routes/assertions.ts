import { parseObject } from '#api/middleware/json-body.ts';
import { post } from '#api/route.ts';
import { assertionOf, assertionQuery, assertionRequest, verdictShape } from '#api/shapes/assertion.ts';
import { comparisonRequest, comparisonShape } from '#api/shapes/comparison.ts';
import { whileAllowed } from '#api/while-allowed.ts';
import { assertMail } from '#core/assertions/assert-mail.ts';
import { describeNearMiss } from '#core/assertions/ci-reports.ts';
import { junitReport } from '#core/assertions/junit.ts';
import { compareMails } from '#core/comparison/compare-mails.ts';

const forLists = ': to evaluate a list, use `bin/sandpost assert` from the repository';

export const assertionRoutes = [
  post({
    path: '/api/assert',
    operationId: 'assertMail',
    summary: 'Find or wait for messages, and check their content',
    description:
      'See docs/assertions.md. Returns 417 with the same body if a clause fails, so `curl -f` fails. With `client_ip` or `records`, SPF, DKIM, DMARC, ARC and the audit use these values. Changes nothing.',
    permission: 'mail',
    query: assertionQuery,
    // If the handler receives the body itself, the request takes no slot for changes, so a waiting assertion does not block others.
    lateBody: { shape: assertionRequest, limit: 'http.compareBodyBytes' },
    success: {
      description: 'All clauses pass',
      schema: verdictShape.schema,
      types: ['application/xml'],
      failed: { status: 417, description: 'A clause failed, or too few messages were found' },
    },
    async handle(call) {
      const { services, caller, query, ctx } = call;
      const request = await call.receive(async (bytes) =>
        assertionRequest.read(parseObject(bytes, forLists)),
      );
      const verdict = await whileAllowed(call, (signal) =>
        assertMail(services, caller, assertionOf(request), signal),
      );
      ctx.status = verdict.passed ? 200 : 417;
      if (query.format === 'json') return verdictShape.present(verdict);
      const seconds = (performance.now() - ctx.state.arrivedAt) / 1000;
      ctx.type = 'application/xml';
      const near = verdict.nearMisses.map(describeNearMiss);
      ctx.body = junitReport([{ name: request.name, seconds, clauses: verdict.clauses, near }]);
    },
  }),
  post({
    path: '/api/compare',
    operationId: 'compareMails',
    summary: 'Compare two emails in normal form',
    description:
      'See docs/assertions.md. Ignores the order of header fields and attributes, white space in HTML, the values in `mask`, and matches of `mask_patterns`. Stores nothing.',
    permission: 'mail',
    lateBody: { shape: comparisonRequest, limit: 'http.compareBodyBytes' },
    success: { description: 'The differences', shape: comparisonShape },
    // The body counts toward the user's memory until its emails are compared.
    handle: ({ services, caller, receive, signal }) =>
      receive((bytes) => {
        const { mask, patterns, ...sides } = comparisonRequest.read(parseObject(bytes));
        return compareMails(services, caller, sides, { kinds: mask, patterns }, signal);
      }),
  }),
];
