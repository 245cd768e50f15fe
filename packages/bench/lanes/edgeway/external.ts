/** The server with one tool, which accepts the access tokens of another authorization server. */
import { external } from '../../../../src/auth/index.ts'
import { echo } from '../tools/echo.ts'
import { serve } from './serve.ts'

export default serve([echo], {
  auth: external({
    issuers: [{ issuer: 'https://login.example.com' }],
    scopes: { read: 'Read' },
  }),
})
