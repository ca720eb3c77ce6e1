import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearestName } from './nearest-name.ts';

/** Parses arguments like Node's `parseArgs`. Throws an error that names the nearest option for an unknown one. */
export function parseOptions<T extends ParseArgsConfig & { options: object }>(config: T) {
  const loose = { args: config.args ?? [], options: config.options };
  const { tokens } = parseArgs({ ...loose, allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(config.options, token.name)) continue;
    const nearest = nearestName(token.name, Object.keys(config.options));
    throw new Error(`Unknown option ${token.rawName} (did you mean --${nearest}?)`);
  }
  return parseArgs(config);
}
