/** The paths of the forms of personal access tokens. */
export const TOKEN_PATH = {
  create: '/account/tokens',
  revoke: '/account/tokens/revoke',
} as const
