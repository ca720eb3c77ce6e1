/** Limits of share links, and of the answers to whoever opens them. */
export const shareLimits = {
  ofTeam: 1_000,
  requests: 300,
  messages: 2_000,
  textCharacters: 65_536,
  people: 50,
  links: 100,
  nameCharacters: 100,
};
