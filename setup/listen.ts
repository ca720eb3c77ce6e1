import type { AddressInfo, Server } from 'node:net';

type Listening = { listen(port: number, host: string, onListening: () => void): Server };

/** Starts to listen and returns the port. The system chooses the port if `port` is 0. Throws an error that names the setting. */
export async function listen(
  server: Listening,
  host: string,
  port: number,
  setting: string,
): Promise<number> {
  const opened = await new Promise<Server>((resolve, reject) => {
    const listening = server.listen(port, host, () => resolve(listening));
    listening.once('error', (error) =>
      reject(new Error(`${setting}: cannot listen on ${host}:${port}: ${error.message}`)),
    );
  });
  return (opened.address() as AddressInfo).port;
}
