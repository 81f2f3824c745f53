/** Shown where the built page is missing: the API works, only its face has to be made. */
export const NOT_BUILT_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Millrace</title>
    <style nonce="__CSP_NONCE__">
      :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
      body { max-width: 36rem; margin: 15vh auto; padding: 0 1.5rem; }
    </style>
  </head>
  <body>
    <h1>Millrace is running, its page is not built</h1>
    <p>Run <code>npm run build</code> in the project's folder and load this page again.</p>
    <p>The API answers meanwhile: <a href="/v1/meta">/v1/meta</a> says which version it is.</p>
  </body>
</html>
`
