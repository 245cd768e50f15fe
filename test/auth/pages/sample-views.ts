/** One valid view of each page. */
import type {
  AccountView,
  ConnectedApp,
  ConsentView,
  LoginView,
  MessageView,
} from '../../../src/auth/pages/views.ts'

export const CONSENT: ConsentView = {
  clientName: 'Claude',
  clientHost: 'claude.ai',
  redirectTarget: 'claude.ai',
  redirectKind: 'https',
  redirectSource: 'https://claude.ai',
  scopes: [
    { name: 'read', description: 'Read your notes' },
    { name: 'write', description: 'Change your notes' },
  ],
  serverName: 'Notes',
  resource: 'https://mcp.example.com/mcp',
  action: '/authorize/decision',
  transaction: 'sealed-transaction',
  csrf: 'form-token',
  signedInAs: undefined,
  login: 'passphrase',
  needsConfirmation: false,
  signOutAction: '/logout',
  problem: undefined,
}

export const LOGIN: LoginView = {
  serverName: 'Notes',
  action: '/login',
  transaction: '',
  csrf: 'form-token',
  login: 'passphrase',
  problem: undefined,
}

export const APP: ConnectedApp = {
  grantId: 'grant-1',
  clientName: 'Claude',
  clientHost: 'claude.ai',
  resource: 'https://mcp.example.com/mcp',
  scopes: [{ name: 'read', description: 'Read your notes' }],
  createdAt: Date.UTC(2026, 10, 1, 12),
  lastUsedAt: Date.UTC(2026, 10, 20, 23, 59),
}

export const ACCOUNT: AccountView = {
  serverName: 'Notes',
  name: 'Ada',
  apps: [APP],
  csrf: 'form-token',
  revokeAction: '/account/disconnect',
  signOutAction: '/logout',
  notice: undefined,
  apiKey: undefined,
  tokens: undefined,
}

export const MESSAGE: MessageView = {
  status: 400,
  title: 'This app cannot connect',
  message: 'redirect_uri is not registered for this client',
}
