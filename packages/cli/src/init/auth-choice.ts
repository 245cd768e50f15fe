/** The ways to sign in that a starter can have. `starter/auth` has a folder for each except `open`. */

export const AUTH_CHOICES = {
  open: 'no sign-in: every caller who knows the URL',
  passphrase: 'a passphrase, for a server of your own',
  github: 'GitHub accounts',
  google: 'Google accounts',
  oidc: 'accounts of an OpenID provider',
  'api-key': 'API keys of a service of yours',
} as const

export type AuthChoice = keyof typeof AUTH_CHOICES

export const AUTH_NAMES = Object.keys(AUTH_CHOICES) as readonly AuthChoice[]
