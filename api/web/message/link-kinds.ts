/** Purposes of links in words. */
export const linkKinds: Record<string, string> = {
  verify: 'Verify',
  reset: 'Reset password',
  login: 'Sign in',
  invite: 'Invitation',
  unsubscribe: 'Unsubscribe',
};
