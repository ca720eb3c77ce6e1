import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRedisAddress } from './address.ts';

const right: [string, object][] = [
  ['redis://:secret@redis:6379/2', { kind: 'server', url: 'redis://:secret@redis:6379/2' }],
  [
    'redis+sentinel://a,b:26380/mymaster',
    {
      kind: 'sentinel',
      name: 'mymaster',
      tls: false,
      nodes: [
        { host: 'a', port: 26379 },
        { host: 'b', port: 26380 },
      ],
    },
  ],
  [
    'rediss+sentinel://ada:p%40ss@[fd00::1]:26379/main',
    {
      kind: 'sentinel',
      name: 'main',
      tls: true,
      username: 'ada',
      password: 'p@ss',
      nodes: [{ host: 'fd00::1', port: 26379 }],
    },
  ],
  [
    'redis+cluster://:secret@redis-0.redis',
    { kind: 'cluster', tls: false, password: 'secret', nodes: [{ host: 'redis-0.redis', port: 6379 }] },
  ],
];
for (const [text, address] of right)
  test(`reads ${text}`, () => assert.deepEqual(readRedisAddress(text), address));

const wrong: [string, RegExp][] = [
  ['http://redis:6379', /must begin with redis:/],
  ['redis+sentinel://a,b', /ends with the name of the primary/],
  ['redis+cluster://a:6379,/', /"" is not host:port/],
  ['redis+cluster://a:x', /"a:x" is not host:port/],
];
for (const [text, reason] of wrong)
  test(`refuses ${text}`, () => assert.throws(() => readRedisAddress(text), reason));
