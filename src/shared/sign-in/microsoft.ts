import type { Provider } from './provider.ts'

export const MICROSOFT: Provider = {
  id: 'microsoft',
  name: 'Microsoft',
  // The portal takes http only with this name, and ignores its port.
  redirect: { loopback: 'localhost', callback: 'microsoft' },
  problems: [
    {
      codes: 'AADSTS50011',
      advice: "The redirect URL isn't registered. Copy it in step 3 to the platform named there.",
    },
    {
      codes: 'AADSTS700016',
      advice:
        'No app with this client ID is known there. Copy the Application (client) ID again in step 5, and check the accounts in step 2.',
    },
    {
      codes: 'AADSTS65001|consent_required|interaction_required',
      advice:
        'Nobody has agreed to these permissions yet. Sign in again and accept, or ask an administrator to choose “Grant admin consent” in step 4.',
    },
    {
      codes: 'AADSTS90094|AADSTS900941',
      advice:
        'Only an administrator can agree to these permissions. Ask for “Grant admin consent” in step 4, or choose less access.',
    },
    {
      codes: 'AADSTS65004|access_denied',
      advice: 'The access was declined. Sign in again and accept the requested permissions.',
    },
    {
      codes: 'AADSTS7000218',
      advice:
        'The redirect URL is registered for the platform Web, which needs a client secret. Register it for Mobile and desktop applications as in step 3.',
    },
    {
      codes: 'AADSTS700025',
      advice: 'An app for Mobile and desktop applications has no secret. Clear the client secret in step 5.',
    },
    {
      codes: 'AADSTS7000215',
      advice: 'The client secret is wrong. Copy the value of the secret in step 5, not its ID.',
    },
    {
      codes: 'AADSTS7000222',
      advice: 'The client secret has expired. Create a new one and enter it in step 5.',
    },
    {
      codes: 'AADSTS9002327',
      advice:
        'The redirect URL is registered for a single-page application. Register it for Mobile and desktop applications as in step 3.',
    },
    {
      codes: 'AADSTS50194|AADSTS9002346|AADSTS50020|AADSTS90002|not enabled for consumers',
      advice:
        "The app isn't for accounts like yours. In step 2, choose the accounts that the app was registered for, with the directory ID if it is for one organization.",
    },
    {
      codes: 'AADSTS53003|AADSTS50105',
      advice: 'The administrator of your organization blocks this sign-in. Ask for access to the app.',
    },
    {
      codes: 'AADSTS70011|invalid_scope',
      advice: "Microsoft doesn't know one of the permissions. Choose the access in step 4 again.",
    },
    {
      codes: 'AADSTS700082|AADSTS70008|AADSTS50173|invalid_grant',
      advice:
        "Microsoft has ended the access: it wasn't used for 90 days, or the password was changed. Sign in again.",
    },
    {
      codes: 'invalid_client|unauthorized_client',
      advice:
        "Microsoft doesn't accept this client. Compare the client ID in step 5 and the platform in step 3 with the app registration.",
    },
    {
      codes: 'ErrorAccessDenied|Authorization_RequestDenied',
      advice: "The sign-in doesn't allow this. Choose the access in step 4 and sign in again.",
    },
  ],
}
