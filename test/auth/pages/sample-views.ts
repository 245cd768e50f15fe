/** One valid view of each page. */
import type {
  AccountView,
  AppAccess,
  AppConnection,
  ConnectedApp,
  ConsentView,
  LoginView,
  MessageView,
  NewTokenView,
  TokenFormView,
  TokensView,
  TokenView,
} from '../../../src/auth/pages/views.ts'

export const CONSENT: ConsentView = {
  clientName: 'Claude',
  clientHost: 'claude.ai',
  redirectTarget: 'claude.ai',
  redirectKind: 'https',
  redirectSource: 'https://claude.ai',
  dependsOnPerson: false,
  scopes: [
    { name: 'read', description: 'Read your notes' },
    { name: 'write', description: 'Change your notes' },
  ],
  serverName: 'Notes',
  resource: 'https://mcp.example.com/mcp',
  administers: false,
  transaction: 'sealed-transaction',
  csrf: 'form-token',
  signedInAs: undefined,
  login: 'passphrase',
  needsConfirmation: false,
  problem: undefined,
}

export const LOGIN: LoginView = {
  serverName: 'Notes',
  purpose: 'Sign in to see your connected apps.',
  action: '/login',
  transaction: '',
  csrf: 'form-token',
  login: 'passphrase',
  problem: undefined,
}

export const ACCESS: AppAccess = {
  resource: 'https://mcp.example.com/mcp',
  administers: false,
  scopes: [{ name: 'read', description: 'Read your notes' }],
  createdAt: Date.UTC(2026, 10, 1, 12),
  lastUsedAt: Date.UTC(2026, 10, 20, 23, 59),
}

export const CONNECTION: AppConnection = {
  clientId: 'client-1',
  scopes: ['read'],
  resources: ['https://mcp.example.com/mcp'],
  createdAt: ACCESS.createdAt,
  lastUsedAt: ACCESS.lastUsedAt,
}

export const APP: ConnectedApp = {
  program: '["Claude","claude.ai"]',
  name: 'Claude',
  host: 'claude.ai',
  access: [ACCESS],
  connections: [CONNECTION],
}

export const ACCOUNT: AccountView = {
  serverName: 'Notes',
  name: 'Ada',
  apps: [APP],
  subscriptions: [],
  csrf: 'form-token',
  notice: undefined,
  apiKey: undefined,
  sections: [],
  formTargets: [],
}

export const TOKEN: TokenView = {
  tokenId: 'token-1',
  name: 'CI',
  resource: 'https://mcp.example.com/mcp',
  administers: false,
  scopes: ['read'],
  createdAt: Date.UTC(2026, 10, 1, 12),
  lastUsedAt: undefined,
  expiresAt: Date.UTC(2027, 0, 30, 12),
}

export const TOKEN_FORM: TokenFormView = {
  login: 'passphrase',
  scopes: [{ name: 'read', description: 'Read your notes' }],
  resources: [
    { resource: 'https://mcp.example.com/mcp', administers: false },
    { resource: 'https://mcp.example.com/other', administers: false },
  ],
  anyResource: false,
  lifetimes: [{ value: '604800000', label: '7 days' }],
  draft: { name: '', scopes: [], resource: '', lifetime: '604800000' },
  problem: undefined,
}

export const TOKENS: TokensView = {
  tokens: [TOKEN],
  form: TOKEN_FORM,
}

export const NEW_TOKEN: NewTokenView = {
  serverName: 'Notes',
  name: 'CI',
  token: 'ewp_1seal_00000000',
  expiresAt: Date.UTC(2027, 0, 30, 12),
}

export const MESSAGE: MessageView = {
  status: 400,
  title: 'This app cannot connect',
  message: 'redirect_uri is not registered for this client',
}
