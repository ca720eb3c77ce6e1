import { randomBytes } from 'node:crypto';
import Joi from 'joi';
import { tool } from '#api/mcp/tool.ts';
import { requestShape } from '#api/shapes/request-shape.ts';
import { responseShape } from '#api/shapes/response-shape.ts';
import { queryText, textValue } from '#api/shapes/values.ts';
import { invalid } from '#core/errors.ts';

/** Maximum accounts and domains examined, oldest first. */
const page = { page: 1, limit: 200 };

export const createAddress = tool({
  name: 'create_address',
  title: 'Create an address',
  description:
    'Generates an unused address, without a plus sign, that this server receives mail for. It needs no cleanup. Give the address to the application under test, then wait for its mail with wait_for_mail.',
  permission: 'read',
  input: requestShape<{ name: string; domain?: string }>('CreateAddress', {
    name: textValue(0, 200)
      .default('test')
      .description(
        'Beginning of the address, such as `signup`. Hyphens replace all characters except letters and digits.',
      ),
    domain: queryText(255)
      .empty('')
      .description('Domain for the address, if several of yours receive mail for any address.'),
  }),
  output: responseShape(null, { address: Joi.string().example('signup-3f9a2c71b0@app.test') }),
  async run({ services, caller }, { name, domain }) {
    const [accounts, domains] = await Promise.all([
      services.accounts.list(caller.team, { active: true }, page),
      services.rows.list('domains', { team: caller.team, active: true }, page),
    ]);
    // A catch-all accepts mail from everybody, a capture account only from applications that sign in.
    const usable = (['catchAll', 'capture'] as const)
      .flatMap((taker) => accounts.items.filter((account) => account[taker]))
      .flatMap(({ domainId }) => domains.items.find(({ id }) => id === domainId)?.name ?? []);
    const chosen = domain === undefined ? usable[0] : usable.find((one) => one === domain.toLowerCase());
    if (chosen === undefined) throw invalid('domain', noTaker);
    return { answer: { address: `${readableOf(name)}-${randomBytes(5).toString('hex')}@${chosen}` } };
  },
});

/** Returns the beginning of an address, derived from a name as in the clients. */
function readableOf(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return plain.slice(0, 40).replace(/^-|-$/g, '') || 'test';
}

const noTaker =
  'has no account that receives mail for all addresses: create a catch-all account with POST /api/accounts {"address": "*@app.test"}, or turn on Capture for an account';
