import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRedisAddress } from './address.ts';

const right: [string, object][] = [
  ['redis://:secret@redis:6379/2', { kind: 'server', url: 'redis://:secret@redis:6379/2' }],
  ['redis://redis', { kind: 'server', url: 'redis://redis' }],
  ['rediss://[fd00::1]:6380?family=6', { kind: 'server', url: 'rediss://[fd00::1]:6380?family=6' }],
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
  ['redis+sentinel://a,b', /must end with the primary's name/],
  ['redis+cluster://a:6379,/', /"" is not host:port/],
  ['redis+cluster://a:x', /"a:x" is not host:port/],
  ['redis+cluster://a:6379/2', /Redis Cluster has no numbered databases: remove "\/2"/],
  ['redis+cluster://a:0', /the port in "a:0" must be from 1 to 65535/],
  ['redis+sentinel://a:99999/main', /the port in "a:99999" must be from 1 to 65535/],
  ['redis://a:0', /the port in "a:0" must be from 1 to 65535/],
  ['redis://a:99999', /the port in "a:99999" must be from 1 to 65535/],
  ['redis://', /"" is not host:port/],
  ['redis:///', /"" is not host:port/],
  ['redis://:secret@', /"" is not host:port/],
  ['redis://:p/ss@redis:6379', /percent-encode \/ and @ in the password/],
  ['redis://:p#ss@redis:6379', /percent-encode \? and # in the password/],
  ['redis+sentinel://ada:p@ss@a/main', /percent-encode \/ and @ in the password/],
  ['redis+cluster://:p/ss@a', /percent-encode \/ and @ in the password/],
  ['redis+cluster://:%zz@a', /percent-encode % as %25/],
  ['redis://:%zz@a', /percent-encode % as %25/],
];
for (const [text, reason] of wrong)
  test(`refuses ${text}`, () => assert.throws(() => readRedisAddress(text), reason));
