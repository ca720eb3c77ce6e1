import { randomUUID } from 'node:crypto';
import MailCompiler from 'nodemailer/lib/mail-composer';
import type { MailComposer } from '#core/delivery/compose.ts';

/** Composes by nodemailer, which may read no file and open no URL whatever a draft holds. */
export function createMailComposer(): MailComposer {
  return {
    async compose(draft) {
      // As objects, so that no address is parsed as a list or a header of its own.
      const addresses = (list: string[]) => list.map((address) => ({ name: '', address }));
      // nodemailer leaves a carriage return that stands alone as it is.
      const lines = (text: string) => text.replace(/\r\n?|\n/g, '\r\n');
      const compiler = new MailCompiler({
        from: { name: '', address: draft.from },
        to: addresses(draft.to),
        cc: addresses(draft.cc),
        replyTo: addresses(draft.replyTo),
        subject: draft.subject,
        ...(draft.text === null ? {} : { text: lines(draft.text) }),
        ...(draft.html === null ? {} : { html: lines(draft.html) }),
        date: draft.date,
        messageId: `<${randomUUID()}@${draft.messageIdDomain}>`,
        newline: 'windows',
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return compiler.compile().build();
    },
  };
}
