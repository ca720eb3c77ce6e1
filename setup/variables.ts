import { ConfigError } from './config.ts';
import { nearestName } from './nearest-name.ts';
import { settings } from './settings.ts';

/**
 * Variables that Kubernetes sets in every pod of a namespace for the namespace's Services, except the variable that ends in `_PORT`. A
 * Service `sandpost-smtp` causes `SANDPOST_SMTP_SERVICE_HOST` and `SANDPOST_SMTP_PORT_25_TCP_ADDR`.
 */
const serviceLink =
  /_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
/** Value of the variable that ends in `_PORT`. */
const serviceAddress = /^(tcp|udp|sctp):\/\//;

/**
 * Variables that a process may have although they are not settings: those from a Secret for test jobs, and those of this project's tests.
 */
const ofClients = ['SANDPOST_URL', 'SANDPOST_API_KEY', 'SANDPOST_DOMAIN'];
const ofTests = /^SANDPOST_TEST_/;

/**
 * Refuses variables that begin with `SANDPOST_` but do not name a setting, because a misspelled setting would otherwise have no effect.
 * Empty variables count as not set. Throws ConfigError, which names the most similar setting.
 */
export function refuseUnknownVariables(env: NodeJS.ProcessEnv): void {
  const known = settings.flatMap(({ variable, secret }) =>
    secret ? [variable, `${variable}_FILE`] : [variable],
  );
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('SANDPOST_') || !value) continue;
    if (serviceAddress.test(value) && name.endsWith('_PORT')) {
      if (known.includes(name)) throw new ConfigError(linkAsSetting(name));
      continue;
    }
    if (known.includes(name) || ofClients.includes(name) || serviceLink.test(name) || ofTests.test(name))
      continue;
    throw new ConfigError(`${name} is not a setting (did you mean ${nearestName(name, known)}?)`);
  }
}

/** Explains that Kubernetes has overwritten a setting's value with the address of a Service. */
function linkAsSetting(name: string): string {
  const service = name
    .replace(/_PORT$/, '')
    .replaceAll('_', '-')
    .toLowerCase();
  return `${name} is the service link that Kubernetes sets for the Service ${service}, not a port: set enableServiceLinks: false in the pod`;
}
