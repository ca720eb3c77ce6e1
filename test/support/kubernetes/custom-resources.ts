const apiVersion = 'sandpost.dev/v1alpha1';

/** Returns a function that makes the JSON of a resource. */
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

/** Makes one resource of each kind in a namespace. `subject` is that of the Member, by default a user with an e-mail there. */
export const oneOfEach = (namespace: string, subject: object = { email: `ada@${namespace}.test` }) => [
  domain(namespace, 'd', { domain: `${namespace}.test` }),
  account(namespace, 'a', { address: `qa@${namespace}.test` }),
  apiKey(namespace, 'k', {}),
  member(namespace, 'm', subject),
];
/** Resources of `oneOfEach`. */
export const eachOne = ['domain/d', 'account/a', 'apikey/k', 'member/m'];

export const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

export type Condition = {
  type: string;
  status: string;
  reason: string;
  message: string;
  lastTransitionTime: string;
};
