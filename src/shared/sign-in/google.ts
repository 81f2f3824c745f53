import type { Provider } from './provider.ts'

export const GOOGLE: Provider = {
  id: 'google',
  name: 'Google',
  redirect: { loopback: '127.0.0.1', callback: null },
  problems: [
    {
      codes: 'redirect_uri_mismatch',
      advice:
        "The client isn't of the type Desktop app, or is of the type Web application without this redirect URL. Create a client as in step 5.",
    },
    {
      codes: 'admin_policy_enforced',
      advice:
        'The administrator of your organization blocks the app. Ask to have its client ID trusted in the Google Admin console, or sign in with another account.',
    },
    {
      codes: 'org_internal',
      advice:
        'The app is only for accounts of its own organization. Sign in with one of them, or change the user type to External in step 4.',
    },
    {
      codes: 'access_denied',
      advice:
        "The access was declined, or the account isn't a test user of the app. Add it in step 4, sign in again and accept all requested permissions.",
    },
    {
      codes: 'client_secret is missing',
      advice:
        'Google requires the client secret, even for a client of the type Desktop app. Copy it in step 5.',
    },
    {
      codes: 'invalid_client|deleted_client|unauthorized_client',
      advice:
        "Google doesn't accept this client ID with this secret. Copy both again in step 5, or create a new client if it was deleted.",
    },
    {
      codes: 'invalid_grant',
      advice:
        'Google has ended the access. While the app is in testing, this happens 7 days after each sign-in: publish it in step 4, then sign in again.',
    },
    {
      codes: 'invalid_scope',
      advice: "Google doesn't know one of the scopes. Choose the access in step 3 again.",
    },
    {
      codes: 'SERVICE_DISABLED|accessNotConfigured',
      advice: "The API isn't enabled in your project. Enable it in step 2, and test again after a minute.",
    },
    {
      codes: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT|insufficientPermissions',
      advice:
        "The sign-in doesn't allow this. Choose the access in step 3, sign in again and accept all requested permissions.",
    },
  ],
}
