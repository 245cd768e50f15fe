/** The pages, as the authorization server asks for them. */
import { accountPage } from './account-page.ts'
import { consentPage } from './consent-page.ts'
import { loginPage } from './login-page.ts'
import { messagePage } from './message-page.ts'
import type { Pages } from './views.ts'

export function createPages(): Pages {
  return { consent: consentPage, login: loginPage, account: accountPage, message: messagePage }
}
