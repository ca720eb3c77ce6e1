import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from './metrics.ts';

test('counters have their labels, and durations their buckets', async () => {
  const metrics = createMetrics();
  metrics.limitReached('owned.domains');
  metrics.httpRequests.observe({ method: 'GET', route: '/x', status: '200' }, 0.02);
  metrics.smtpReplies.inc({ command: 'RCPT', code: '250' });
  metrics.deliverySeconds.observe(0.02);
  metrics.mxChecks.inc({ answer: 'none' });
  metrics.reconcileSeconds.observe({ kind: 'Domain' }, 0.02);
  metrics.reconcileFailures.inc({ kind: 'Domain' });
  metrics.kubernetesRequests.inc({ method: 'GET' });
  metrics.orphans.set({ kind: 'domain' }, 2);
  metrics.foreignThings.set({ kind: 'domain' }, 3);
  const told = await metrics.registry.metrics();
  for (const line of [
    'sandpost_limits_reached_total{limit="owned.domains"} 1',
    'sandpost_http_request_duration_seconds_bucket{le="0.01",method="GET",route="/x",status="200"} 0',
    'sandpost_http_request_duration_seconds_bucket{le="0.05",method="GET",route="/x",status="200"} 1',
    'sandpost_http_request_duration_seconds_bucket{le="120",method="GET",route="/x",status="200"} 1',
    'sandpost_smtp_replies_total{command="RCPT",code="250"} 1',
    'sandpost_delivery_duration_seconds_bucket{le="0.01"} 0',
    'sandpost_delivery_duration_seconds_bucket{le="0.025"} 1',
    'sandpost_mx_checks_total{answer="none"} 1',
    'sandpost_operator_reconcile_duration_seconds_bucket{le="0.02",kind="Domain"} 1',
    'sandpost_operator_reconcile_failures_total{kind="Domain"} 1',
    'sandpost_operator_kubernetes_requests_total{method="GET"} 1',
    'sandpost_operator_orphans{kind="domain"} 2',
    'sandpost_operator_foreign_things{kind="domain"} 3',
    'sandpost_messages_stored_total 0',
  ])
    assert.ok(told.split('\n').includes(line), line);
  assert.match(told, /^process_cpu_seconds_total /m);
});
