const apiVersion = 'sandpost.dev/v1alpha1';

/** Returns a function that builds a resource's JSON. */
const resource = (kind: string) => (namespace: string, name: string, spec: object) => ({
  apiVersion,
  kind,
  metadata: { namespace, name },
  spec,
});

export const domain = resource('Domain');
export const account = resource('Account');
export const apiKey = resource('ApiKey');
export const member = resource('Member');
export const mailExpectation = resource('MailExpectation');
export const inbox = resource('Inbox');

/** Creates one resource of each kind in a namespace. `subject` is the Member's, by default a user with an email address there. */
export const oneOfEach = (namespace: string, subject: object = { email: `ada@${namespace}.test` }) => [
  domain(namespace, 'd', { domain: `${namespace}.test` }),
  account(namespace, 'a', { address: `qa@${namespace}.test` }),
  apiKey(namespace, 'k', {}),
  member(namespace, 'm', subject),
];
/** Resources that `oneOfEach` creates. */
export const eachOne = ['domain/d', 'account/a', 'apikey/k', 'member/m'];

export const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

export type Condition = {
  type: string;
  status: string;
  reason: string;
  message: string;
  lastTransitionTime: string;
};
