import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearestName } from './nearest-name.ts';

/** Parses arguments as Node's `parseArgs` does. For an unknown option, throws an error that names the most similar one. */
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
