import { createRequire } from 'node:module';

/** Connection of the driver, by the members that are used here. All are private to it. */
type DriverConnection = {
  /** Error that ended the connection. */
  error: Error | null;
  writeCommand(command: unknown, options: unknown): Promise<void>;
  once(event: 'close', listener: () => void): void;
  off(event: 'close', listener: () => void): void;
};

const require = createRequire(import.meta.url);
const {
  Connection,
}: { Connection: { prototype: DriverConnection } } = require('mongodb/lib/cmap/connection');
const write = Connection.prototype.writeCommand;

// The driver (7.8, 7.9) waits for `drain` where a write returns false, as on a destroyed socket, which never emits it. A
// command that came between the end of its socket and the event `close` waited for ever, and with it all who shared its read.
Connection.prototype.writeCommand = async function (command, options) {
  const closed = Promise.withResolvers<never>();
  const onClose = () => closed.reject(this.error ?? new Error('the connection to MongoDB closed'));
  this.once('close', onClose);
  try {
    await Promise.race([write.call(this, command, options), closed.promise]);
  } finally {
    this.off('close', onClose);
  }
};

/** Client whose commands end with their connections. */
export { MongoClient } from 'mongodb';
