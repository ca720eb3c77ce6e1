import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Certificates, makeCertificates } from '#test/support/kubernetes/certificates.ts';
import { outputOf } from '#test/support/program/program-output.ts';
import type { BoundServer } from '#test/support/stores/bound-server.ts';
import {
  startGuardedMongod,
  startGuardedRedis,
  startTlsMongod,
  startTlsRedis,
} from '#test/support/stores/guarded-stores.ts';
import { startOwnMongod } from '#test/support/stores/mongod.ts';
import { startRedis, withoutRedis } from '#test/support/stores/redis-server.ts';

const deadRedis = 'redis://127.0.0.1:9';

describe('the error of a store that cannot be used names its cause', {
  concurrency: 4,
  skip: withoutRedis(),
}, () => {
  let certificates: Certificates;
  let foreign: Certificates;
  const mongo = { plain: 0, tls: 0, guarded: 0 };
  const redis = { plain: 0, tls: 0, guarded: 0, otherName: 0 };
  const servers: BoundServer[] = [];

  before(async () => {
    [certificates, foreign] = await Promise.all([makeCertificates(), makeCertificates('DNS:db.test')]);
    const plain = await startOwnMongod();
    const [tls, guarded, otherName] = await Promise.all([
      startTlsMongod(certificates),
      startGuardedMongod('right'),
      startTlsRedis(foreign),
    ]);
    const redises = await Promise.all([
      startRedis(),
      startTlsRedis(certificates),
      startGuardedRedis('right'),
    ]);
    const [plainRedis, tlsRedis, guardedRedis] = redises;
    Object.assign(mongo, { plain: plain.server.port, tls: tls.server.port, guarded: guarded.server.port });
    redis.otherName = otherName.port;
    Object.assign(redis, { plain: plainRedis.server.port, tls: tlsRedis.port, guarded: guardedRedis.port });
    servers.push(plain.server, tls.server, guarded.server, otherName);
    servers.push(plainRedis.server, tlsRedis, guardedRedis);
  });
  after(() => Promise.all(servers.map((server) => server.remove())));

  const ofMongo: [name: string, uri: () => string, line: RegExp][] = [
    [
      'a name that does not exist',
      () => 'mongodb://db.invalid/x?replicaSet=a',
      /: db\.invalid does not exist in DNS$/,
    ],
    [
      'an SRV name that does not exist',
      () => 'mongodb+srv://db.invalid/x',
      /: _mongodb\._tcp\.db\.invalid does not exist in DNS$/,
    ],
    [
      'a port without a server',
      () => 'mongodb://127.0.0.1:9/x?replicaSet=a',
      /: nothing listens on 127\.0\.0\.1:9$/,
    ],
    [
      'a certificate of an unknown authority',
      () => `mongodb://127.0.0.1:${mongo.tls}/x?replicaSet=tls&tls=true`,
      /: the server's certificate is signed by an untrusted authority: set NODE_EXTRA_CA_CERTS to /,
    ],
    [
      'plain text to a server with TLS',
      () => `mongodb://127.0.0.1:${mongo.tls}/x?replicaSet=tls`,
      /: the server closes the connection immediately: it may expect TLS \(tls=true in the URL\)$/,
    ],
    [
      'TLS to a server without',
      () => `mongodb://127.0.0.1:${mongo.plain}/x?replicaSet=sandpost&tls=true`,
      /: the server closes the connection when TLS begins: it might not support TLS on this port$/,
    ],
    [
      'another replica set',
      () => `mongodb://127.0.0.1:${mongo.plain}/x?replicaSet=other`,
      /: no server in the URL belongs to the replica set "other" specified in replicaSet$/,
    ],
    [
      'a wrong password',
      () => `mongodb://app:wrong@127.0.0.1:${mongo.guarded}/sandpost?replicaSet=guarded&authSource=admin`,
      /^sandpost: MongoDB rejects the user or password in the URL; authSource may be missing$/,
    ],
    [
      'no user',
      () => `mongodb://127.0.0.1:${mongo.guarded}/sandpost?replicaSet=guarded`,
      /^sandpost: MongoDB requires a user and a password: add them to the URL$/,
    ],
    [
      'a user who may only read',
      () => `mongodb://reader:right@127.0.0.1:${mongo.guarded}/sandpost?replicaSet=guarded&authSource=admin`,
      /^sandpost: the MongoDB user lacks permission to run \w+ on the database sandpost: grant it the readWrite role on that database$/,
    ],
    [
      'a password that is not escaped',
      () => 'mongodb://app:a/b@db/x',
      /^sandpost: SANDPOST_MONGODB_URI is not valid: Password contains unescaped characters$/,
    ],
  ];
  for (const [name, uri, line] of ofMongo) {
    test(`MongoDB: ${name}`, async () => {
      const env = { SANDPOST_MONGODB_URI: uri(), SANDPOST_REDIS_URL: deadRedis };
      const { output, code } = await outputOf(['api'], env);
      assert.equal(code, 1);
      assert.match(output.trimEnd(), line);
      assert.equal(output.trimEnd().split('\n').length, 1, output);
    });
  }

  test('MongoDB and Redis with certificates of a private authority that is named', async () => {
    const env = {
      NODE_EXTRA_CA_CERTS: certificates.ca,
      SANDPOST_MONGODB_URI: `mongodb://127.0.0.1:${mongo.tls}/x?replicaSet=tls&tls=true`,
      SANDPOST_REDIS_URL: `rediss://127.0.0.1:${redis.tls}`,
    };
    const { output, code } = await outputOf(['api'], env, (text) => text.includes('"what":"http"'));
    assert.equal(code, null, output);
    assert.doesNotMatch(output, /redis\.away/);
  });

  const ofRedis: [name: string, url: () => string, line: RegExp][] = [
    ['a name that does not exist', () => 'redis://cache.invalid', /cache\.invalid does not exist in DNS/],
    ['a port without a server', () => deadRedis, /nothing listens on 127\.0\.0\.1:9/],
    [
      'a certificate of an unknown authority',
      () => `rediss://127.0.0.1:${redis.tls}`,
      /signed by an untrusted authority/,
    ],
    [
      'plain text to a server with TLS',
      () => `redis://127.0.0.1:${redis.tls}`,
      /it may expect TLS \(rediss: in the URL\)/,
    ],
    [
      'TLS to a server without',
      () => `rediss://127.0.0.1:${redis.plain}`,
      /the server may not support TLS on this port/,
    ],
    [
      'a wrong password',
      () => `redis://:wrong@127.0.0.1:${redis.guarded}`,
      /the server rejects the user or password in the URL/,
    ],
    [
      'a wrong password of an ACL user',
      () => `redis://sandpost:wrong@127.0.0.1:${redis.guarded}`,
      /the server rejects the user or password/,
    ],
    [
      'no password',
      () => `redis://127.0.0.1:${redis.guarded}`,
      /the server requires a password: add it to the URL/,
    ],
    [
      'a database that it does not have',
      () => `redis://127.0.0.1:${redis.plain}/99`,
      /DB index is out of range/,
    ],
  ];
  for (const [name, url, line] of ofRedis) {
    test(`Redis: ${name}`, async () => {
      const env = {
        SANDPOST_MONGODB_URI: `mongodb://127.0.0.1:${mongo.plain}/redis?replicaSet=sandpost`,
        SANDPOST_REDIS_URL: url(),
      };
      const { output } = await outputOf(['api'], env, (text) => text.includes('redis.away'));
      const told = output.split('\n').filter((text) => text.includes('redis.away'));
      assert.match(JSON.parse(told[0] ?? '{}').msg, line);
    });
  }

  test('Redis: a certificate for other names', async () => {
    const env = {
      NODE_EXTRA_CA_CERTS: foreign.ca,
      SANDPOST_MONGODB_URI: `mongodb://127.0.0.1:${mongo.plain}/redis?replicaSet=sandpost`,
      SANDPOST_REDIS_URL: `rediss://127.0.0.1:${redis.otherName}`,
    };
    const { output } = await outputOf(['api'], env, (text) => text.includes('redis.away'));
    assert.match(output, /the server's certificate does not cover this name: .*127\.0\.0\.1/);
  });
});
