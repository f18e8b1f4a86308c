// The frame that mails of today come in: a preheader, tables with inline styles, a button, a footer.

export interface Mail {
  readonly name: string
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
}

export interface Frame {
  readonly preheader: string
  readonly brand: string
  readonly site: string
  readonly body: string
  readonly footer: string
}

export function page({ preheader, brand, site, body, footer }: Frame): string {
  return `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>${brand}</title>
<style type="text/css">body{margin:0;padding:0;-webkit-text-size-adjust:100%}table{border-collapse:collapse}a{color:#1a5fb4}
@media only screen and (max-width:600px){.wrap{width:100%!important}.hide{display:none!important}}</style>
<!--[if mso]><style>td{font-family:Arial,sans-serif!important}</style><![endif]--></head>
<body style="margin:0;padding:0;background-color:#f4f4f7">
<div style="display:none;font-size:1px;color:#f4f4f7;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden">${preheader}&#847;&zwnj;&nbsp;&#8199;&shy;&#847;&zwnj;&nbsp;&#8199;&shy;&#847;&zwnj;&nbsp;&#8199;&shy;</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="wrap" width="600" cellpadding="0" cellspacing="0" border="0" style="background-color:#ffffff;border-radius:6px">
<tr><td style="padding:24px 32px;border-bottom:1px solid #eaeaec"><a href="https://${site}/"><img src="https://cdn.${site}/mail/logo.png" width="140" height="36" alt="${brand}" style="display:block;border:0"></a></td></tr>
<tr><td style="padding:28px 32px;font-family:Helvetica,Arial,sans-serif;font-size:15px;line-height:24px;color:#333333">
${body}
</td></tr>
<tr><td style="padding:20px 32px;font-family:Helvetica,Arial,sans-serif;font-size:12px;line-height:18px;color:#8a8f98;background-color:#fafafa">
${footer}
</td></tr></table></td></tr></table>
<img src="https://cdn.${site}/o.gif?m=8f31" width="1" height="1" alt="">
</body></html>`
}

export function button(href: string, label: string, color = '#1a5fb4'): string {
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:20px 0"><tr><td style="border-radius:4px;background-color:${color}"><a href="${href}" style="display:inline-block;padding:12px 24px;font-weight:bold;color:#ffffff;text-decoration:none">${label}</a></td></tr></table>`
}

export const rows = (lines: readonly (readonly [string, string])[]): string =>
  `<table width="100%" cellpadding="6" style="font-size:14px">${lines
    .map(
      ([what, price]) =>
        `<tr><td style="border-bottom:1px solid #eaeaec">${what}</td><td align="right" style="border-bottom:1px solid #eaeaec">${price}</td></tr>`,
    )
    .join('')}</table>`
