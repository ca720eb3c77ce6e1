import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { Ctx } from './context.ts';
import { RequestSignals } from './request-signals.ts';

function request(state: { closed: boolean; writableFinished: boolean }) {
  const response = Object.assign(new EventEmitter(), state);
  return { ctx: { res: response } as unknown as Pick<Ctx, 'res'>, response };
}

test('a signal is aborted when the client hangs up, when all are closed, or at once if that has happened', () => {
  const closing = new AbortController();
  const signals = new RequestSignals(closing.signal);
  const left = request({ closed: false, writableFinished: false });
  const answered = request({ closed: false, writableFinished: true });
  const open = request({ closed: false, writableFinished: false });
  const [leftSignal, answeredSignal, openSignal] = [left, answered, open].map(({ ctx }) => signals.of(ctx));
  left.response.emit('close');
  answered.response.emit('close');
  assert.equal(leftSignal?.aborted, true);
  assert.equal(answeredSignal?.aborted, false);
  assert.equal(openSignal?.aborted, false);
  assert.equal(signals.of(request({ closed: true, writableFinished: false }).ctx).aborted, true);
  closing.abort();
  assert.equal(openSignal?.aborted, true);
  assert.equal(answeredSignal?.aborted, false);
  assert.equal(signals.of(request({ closed: false, writableFinished: false }).ctx).aborted, true);
});
