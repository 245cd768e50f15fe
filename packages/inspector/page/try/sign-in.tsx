/** Signs in to the endpoint, or takes a token that the person has. */
import { useId, useState } from 'preact/hooks'
import { parseChallenge } from '../../../client/src/challenge.ts'
import type { RunRequest } from '../client/run-request.ts'
import { beginSignIn } from '../client/sign-in.ts'
import { rememberTokens } from '../client/tokens.ts'
import { Notice } from '../elements/notice.tsx'
import { Code, Paragraph } from '../elements/text.tsx'
import { loadCatalog } from './catalog.ts'

interface SignInProps {
  readonly endpoint: string
  /** The `WWW-Authenticate` header of the refusal. */
  readonly challenge: string
  /** The request that was refused. It is sent again after the sign-in. */
  readonly request?: RunRequest | undefined
}

export function SignIn({ endpoint, challenge, request }: SignInProps) {
  const [problem, setProblem] = useState<string>()
  const [isLeaving, setLeaving] = useState(false)
  const [token, setToken] = useState('')
  const id = useId()

  const signIn = () => {
    setLeaving(true)
    setProblem(undefined)
    beginSignIn(new URL(endpoint, location.origin), challenge, request).catch((error: unknown) => {
      setLeaving(false)
      setProblem(error instanceof Error ? error.message : String(error))
    })
  }
  const useToken = (event: Event) => {
    event.preventDefault()
    rememberTokens({ accessToken: token.trim() })
    void loadCatalog(endpoint)
  }
  const scopes = missingScopes(challenge)
  return (
    <div class="sign-in">
      {scopes === undefined ? (
        <>
          <h2>Sign in</h2>
          <p>
            The endpoint requires a token. The page signs in as any client does: it registers, and
            you consent. The token stays in this browser tab.
          </p>
        </>
      ) : (
        <>
          <h2>Consent to more</h2>
          <p>
            This request needs <Code max={300}>{scopes}</Code>, which your token does not have.
            {request !== undefined && ' It is sent again when you have consented.'}
          </p>
        </>
      )}
      {problem !== undefined && <SignInFailed problem={problem} />}
      <div class="buttons">
        <button type="button" class="main" disabled={isLeaving} onClick={signIn}>
          {isLeaving ? 'Signing in…' : scopes === undefined ? 'Sign in' : 'Consent'}
        </button>
      </div>
      <details>
        <summary>Use a token that you have</summary>
        <form onSubmit={useToken}>
          <div class="field">
            <label for={id}>Access token or API key</label>
            <input
              id={id}
              type="password"
              autocomplete="off"
              required
              value={token}
              onInput={({ currentTarget }) => setToken(currentTarget.value)}
            />
          </div>
          <button type="submit">Use it</button>
        </form>
      </details>
    </div>
  )
}

/** The scopes that a valid token lacks; undefined where there is no valid token. */
function missingScopes(challenge: string): string | undefined {
  const { error, scope } = parseChallenge(challenge) ?? {}
  return error === 'insufficient_scope' ? scope : undefined
}

export function SignInFailed({ problem }: { readonly problem: string }) {
  return (
    <div role="alert">
      <Notice kind="bad" title="The sign-in failed">
        <Paragraph text={problem} />
      </Notice>
    </div>
  )
}
